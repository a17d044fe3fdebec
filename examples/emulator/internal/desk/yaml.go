package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// yamlToJSON gives one document of YAML as JSON; nothing is null. It resolves the nodes
// itself: an alias could stand for any amount of text, and the decoder of the library
// compares every key of a mapping with every other.
func yamlToJSON(text []byte) ([]byte, error) {
	documents := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if err := documents.Decode(&first); errors.Is(err, io.EOF) {
		return []byte("null"), nil
	} else if err != nil {
		return nil, err
	}
	if err := documents.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	value, err := resolve(first.Content[0])
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// resolve gives a node as encoding/json would.
func resolve(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if _, twice := object[key.Value]; twice || key.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: a key must be a text that is there once", key.Line)
			}
			value, err := resolve(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			object[key.Value] = value
		}
		return object, nil
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			var err error
			if list[i], err = resolve(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!null", "!!bool", "!!int", "!!float":
			var value any
			return value, n.Decode(&value)
		}
		return n.Value, nil
	}
	return nil, fmt.Errorf("line %d: an alias is not allowed", n.Line)
}
