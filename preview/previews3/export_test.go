package previews3

// Keys gives the tests what key.go makes.
func Escape(id string) string             { return escape(id) }
func VersionKey(n uint32) string          { return versionKey(n) }
func VersionOf(key string) uint32         { return versionOf(key) }
func BaseOf(upload string) (uint32, bool) { return baseOf(upload) }
