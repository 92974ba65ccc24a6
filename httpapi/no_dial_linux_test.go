package httpapi

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// offlineEnv tells this test binary that it runs without a network.
const offlineEnv = "QUIRE_TEST_OFFLINE"

// slowTests are left out when the tests run again without a network: they wait, measure or
// repeat what the others do.
const slowTests = `^(TestNothingIsFetched|TestHostileTexts|TestHostileParameters|TestLongLists.*|TestStreamOutlives.*|TestLongAnswer.*|TestLongWords|` +
	`TestCreateManyAtEachPlace|TestLoad|TestTooManyIDs|TestSlow.*|TestSteady.*|TestLarge.*|TestMany.*|TestUnpagedAnswers|TestMediaKeepsConnection|` +
	`TestOnceLongAnswer|TestServerFields|TestFuzz.*|.*Memory.*|.*Wait.*|TestGuessedKeys|TestAccess)$`

// luringTests are those that write addresses and files, which are enough in short mode.
const luringTests = `^(TestLures|TestAddresses|TestHostileFiles|TestHostileKnowledge|TestFileNames|TestIngestOfFiles)$`

// TestNothingIsFetched runs the quick tests of this package, with the Library, the Engine
// and the Stores under them, in a process that has no network but its own loopback. The
// kernel counts each try to reach something else, and each question to a name server.
func TestNothingIsFetched(t *testing.T) {
	if os.Getenv(offlineEnv) != "" {
		runOffline(t)
		return
	}
	t.Parallel()
	cmd := testsAgain(t.Context(), t, "-test.run=^TestNothingIsFetched$", "-test.v", fmt.Sprint("-test.short=", testing.Short()))
	cmd.Env = append(cmd.Env, offlineEnv+"=1")
	id := func(n int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: n, Size: 1}}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET, UidMappings: id(os.Getuid()), GidMappings: id(os.Getgid()), Pdeathsig: syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	if os.IsPermission(err) || strings.Contains(string(out), noNetwork) {
		t.Skipf("F1: no process without a network can be started here: %v %s", err, out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	line := regexp.MustCompile(`(?m)F1: .*$`).Find(out)
	if line == nil {
		t.Fatalf("no closing line in\n%s", out)
	}
	t.Logf("%s", line)
}

// noNetwork is what a process says that cannot set its network up.
const noNetwork = "the loopback cannot be brought up"

// testsAgain is this test binary once more, with other flags. Its answers are not recorded.
func testsAgain(ctx context.Context, t *testing.T, flags ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, append(flags, "-test.timeout=10m")...)
	cmd.WaitDelay = 10 * time.Second
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "QUIRE_RECORD=") && !strings.HasPrefix(v, offlineEnv+"=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

// runOffline runs the tests in the network of this process, and counts.
func runOffline(t *testing.T) {
	if err := loopbackUp(); err != nil {
		t.Fatalf("%s: %v", noNetwork, err)
	}
	control := tries(t)
	for _, to := range [][2]string{{"tcp", "203.0.113.7:80"}, {"tcp", "[2001:db8::7]:80"}, {"udp", "203.0.113.7:53"}} {
		if c, err := net.Dial(to[0], to[1]); err == nil {
			c.Close()
			t.Errorf("%s was reached", to)
		}
	}
	if _, err := net.DefaultResolver.LookupHost(t.Context(), "name.invalid"); err == nil {
		t.Error("a name was found")
	}
	before := tries(t)
	if before-control < 4 {
		t.Fatalf("%d of 4 tries were counted", before-control)
	}
	which, least := "-test.skip="+slowTests, 100
	if testing.Short() {
		which, least = "-test.run="+luringTests, 4
	}
	out, err := testsAgain(t.Context(), t, "-test.v", "-test.short", which).CombinedOutput()
	passed := strings.Count(string(out), "\n--- PASS: ")
	if err != nil || passed < least || !strings.Contains(string(out), "--- PASS: TestLures ") || !strings.Contains(string(out), "--- PASS: TestAddresses ") {
		t.Fatalf("%d tests passed: %v\n%s", passed, err, out)
	}
	if n := tries(t) - before; n > 0 {
		t.Fatalf("%d tries to reach something beside the loopback", n)
	}
	t.Logf("F1: %d tests over Library, Engine and Stores in a process without a network: %d tries to reach anything but the loopback, by the count of the kernel, which saw %d of 4 made on purpose",
		passed, tries(t)-before, min(4, before-control))
}

// loopbackUp brings the loopback of the network of this process up.
func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	request := struct { // netdevice(7)
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP}
	copy(request.name[:], "lo")
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); no != 0 {
		return no
	}
	return nil
}

// tries returns how often a process of this network tried to reach an address that no
// route leads to, and how many datagrams were sent, as to a name server on the loopback.
func tries(t *testing.T) (n int) {
	t.Helper()
	for _, c := range []struct{ file, kind, name string }{
		{"snmp", "Ip:", "OutNoRoutes"}, {"snmp", "Udp:", "OutDatagrams"}, {"snmp6", "", "Ip6OutNoRoutes"}, {"snmp6", "", "Udp6OutDatagrams"},
	} {
		n += kernelCount(t, c.file, c.kind, c.name)
	}
	return n
}

// kernelCount reads one of the kernel's counters for the network of this process. A kernel
// without IPv6 has none of that.
func kernelCount(t *testing.T, file, kind, name string) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/net/" + file)
	if file == "snmp6" && os.IsNotExist(err) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case kind == "" && fields[0] == name:
			return number(t, fields[1])
		case fields[0] == kind && names == nil:
			names = fields
		case fields[0] == kind:
			for i, n := range names {
				if n == name {
					return number(t, fields[i])
				}
			}
		}
	}
	t.Fatalf("%s has no %s%s", file, kind, name)
	return 0
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
