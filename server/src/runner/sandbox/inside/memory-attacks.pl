# Takes memory in ways that limits may miss: perl memory-attacks.pl ARCHITECTURE WAY MEBIBYTES
# Prints "kept" if it still has the memory after two seconds. Perl, because Node cannot make system calls.
use strict;
use Socket;

my ($architecture, $way, $mebibytes) = @ARGV;
my $bytes = $mebibytes * 1024 * 1024;
my %numbers = (
    x64   => { mmap => 9, madvise => 28, shmget => 29, shmat => 30, memfd_create => 319, read => 0, faccessat => 269 },
    arm64 => { mmap => 222, madvise => 233, shmget => 194, shmat => 196, memfd_create => 279, read => 63, faccessat => 48 },
);
my ($readable, $writable, $shared, $private, $anonymous, $noreserve) = (1, 2, 1, 2, 0x20, 0x4000);
my $dontneed = 4;

sub call {
    my ($name, @arguments) = @_;
    my $result = syscall($numbers{$architecture}{$name}, @arguments);
    exit 1 if $result == -1;
    return $result;
}

# Writes to the memory, and removes it from the page tables: it stays in memory, but is no longer counted for the process.
sub fill_and_hide {
    my ($address) = @_;
    open(my $zeros, '<', '/dev/full') or exit 1;
    my $step = 4 * 1024 * 1024;
    for (my $offset = 0; $offset < $bytes; $offset += $step) {
        my $filled = 0;
        while ($filled < $step) { $filled += call('read', fileno($zeros), $address + $offset + $filled, $step - $filled) }
        call('madvise', $address + $offset, $step, $dontneed);
    }
}

my @held;
my %ways = (
    'private' => sub {
        for (1 .. 4) { fork or do { my $block = 'x' x ($bytes / 4); sleep 4; exit } }
    },
    'shared' => sub { fill_and_hide(call('mmap', 0, $bytes, $readable | $writable, $shared | $anonymous, -1, 0)) },
    'zero-device' => sub {
        open(my $device, '+<', '/dev/zero') or exit 1;
        fill_and_hide(call('mmap', 0, $bytes, $readable | $writable, $shared, fileno($device), 0));
    },
    'memfd' => sub {
        open(my $file, '+<&=', call('memfd_create', my $name = 'x', 0)) or exit 1;
        for (1 .. $mebibytes) { syswrite($file, "\0" x (1024 * 1024)) or exit 1 }
        push @held, $file;
    },
    'system-v' => sub { fill_and_hide(call('shmat', call('shmget', 0, $bytes, 0600), 0, 0)) },
    # A page table takes 4 KiB for each 2 MiB of addresses from which something was read, here the name of a file.
    'page-tables' => sub {
        my $address = call('mmap', 0, $bytes * 512, $readable, $private | $anonymous | $noreserve, -1, 0);
        for my $table (0 .. $bytes / 4096 - 1) { syscall($numbers{$architecture}{faccessat}, -100, $address + $table * 2**21, 0) }
    },
    'sockets' => sub {
        my $socket_bytes = 200_000;
        for (1 .. $bytes / $socket_bytes / 400 + 1) {
            fork and next;
            for (1 .. 200) {
                socketpair(my $left, my $right, AF_UNIX, SOCK_STREAM, 0) or exit 1;
                for my $socket ($left, $right) { $socket->blocking(0); 1 while syswrite($socket, 'x' x 65536) }
                push @held, $left, $right;
            }
            sleep 4;
            exit;
        }
    },
);

$ways{$way}->();
sleep 2;
print "kept\n";
