package office

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlock is the version of Landlock that the system has; 0 is none. It lets a thread give
// up files and TCP, for itself and for what it starts, without any right on the system, so
// also in most containers.
var landlock = sync.OnceValue(func() int {
	version, _, err := syscall.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != 0 {
		return 0
	}
	return int(version)
})

// What can be done with files. A file can have fewer rights than a folder.
const (
	read     = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
	use      = read | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	ofFiles  = use &^ unix.LANDLOCK_ACCESS_FS_READ_DIR
	sockets  = unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	anything = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV<<1 - 1
)

// ofTheSystem are patterns of programs, fonts and their settings.
var ofTheSystem = []string{
	"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/nix/store", "/gnu/store", "/home/linuxbrew", "/snap",
	"/etc/fonts", "/etc/libreoffice", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
	"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/papersize", "/etc/xpdf", "/etc/python3*",
	"/var/cache/fontconfig", "/var/lib/libreoffice", "/var/spool/libreoffice", "/sys/devices/system",
}

// confine leaves this thread, and what it will start, only files of the system and those of
// reach, and no TCP. The goroutine must be locked to the thread, and end without unlocking
// it. Where the system cannot do it, nothing changes.
func confine(cmd *exec.Cmd, reach reach) error {
	version := landlock()
	if version == 0 || reach.all {
		return nil
	}
	var rules unix.LandlockRulesetAttr
	rules.Access_fs = anything
	for since, right := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version < since {
			rules.Access_fs &^= right
		}
	}
	size := unsafe.Sizeof(rules.Access_fs)
	if version >= 4 {
		rules.Access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(rules.Access_net)
	}
	fd, _, failed := syscall.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0) //nolint:gosec // The call has no other form.
	if failed != 0 {
		return fmt.Errorf("landlock: %w", failed)
	}
	defer func() { _ = unix.Close(int(fd)) }()
	allow := func(rights uint64, paths ...string) (err error) {
		for _, path := range paths {
			err = errors.Join(err, allowBeneath(fd, rights&rules.Access_fs, path))
		}
		return err
	}
	system := slices.Concat(fontFolders(), installation(cmd.Path))
	for _, pattern := range ofTheSystem {
		found, _ := filepath.Glob(pattern)
		system = append(system, found...)
	}
	err := errors.Join(
		allow(anything, append(reach.write, reach.home)...),
		allow(read, append(system, reach.read...)...),
		allow(use, "/dev", "/proc"),
		allow(sockets, "/tmp"), // LibreOffice has them there.
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
	)
	if err == nil {
		if _, _, failed := syscall.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); failed != 0 {
			err = fmt.Errorf("landlock: %w", failed)
		}
	}
	return err
}

// allowBeneath allows to use a file, or a folder with all that is in it. One that is not
// there is passed over, and so is what is no path.
func allowBeneath(ruleset uintptr, rights uint64, path string) error {
	if !filepath.IsAbs(path) {
		return nil
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // See above.
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}                                                                                   //nolint:gosec // It is small.
	if _, _, failed := syscall.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); failed != 0 { //nolint:gosec // As above.
		return fmt.Errorf("landlock: %s: %w", path, failed)
	}
	return nil
}

// fontFolders are those that the environment names.
func fontFolders() []string {
	folders := filepath.SplitList(os.Getenv("FONTCONFIG_PATH"))
	if file := os.Getenv("FONTCONFIG_FILE"); file != "" {
		folders = append(folders, filepath.Dir(file))
	}
	return folders
}
