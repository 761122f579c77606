/**
 * The seccomp filter of the sandbox, as a classic BPF program (see seccomp(2)). It is a deny list, not an allow list: a
 * model may run any program of the system, and an allow list of system calls is never complete. System calls that are newer
 * than this list are denied by their number.
 */
import { endianness } from 'node:os'

type Architecture = 'x64' | 'arm64'

const auditArchitecture: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** The newest system call that this list considers (`mseal`). Newer calls have the same number on all architectures. */
const lastKnownCall = 462

/** Null: the architecture does not have the call. */
type CallNumbers = Readonly<Record<Architecture, number | null>>
const call = (x64: number, arm64: number | null): CallNumbers => ({ x64, arm64 })

/** Denied with EPERM, whatever the arguments are. */
const deniedCalls: Readonly<Record<string, CallNumbers>> = {
  // namespaces and mounts, in case a process ever regains a capability
  unshare: call(272, 97),
  setns: call(308, 268),
  mount: call(165, 40),
  umount2: call(166, 39),
  pivot_root: call(155, 41),
  chroot: call(161, 51),
  move_mount: call(429, 429),
  open_tree: call(428, 428),
  fsopen: call(430, 430),
  fsconfig: call(431, 431),
  fsmount: call(432, 432),
  fspick: call(433, 433),
  mount_setattr: call(442, 442),

  // access to other processes, of which the supervisor is one
  ptrace: call(101, 117),
  process_vm_readv: call(310, 270),
  process_vm_writev: call(311, 271),
  process_madvise: call(440, 440),
  kcmp: call(312, 272),
  pidfd_getfd: call(438, 438),

  // kernel subsystems that most container escapes went through
  bpf: call(321, 280),
  perf_event_open: call(298, 241),
  userfaultfd: call(323, 282),
  add_key: call(248, 217),
  request_key: call(249, 218),
  keyctl: call(250, 219),
  fanotify_init: call(300, 262),
  name_to_handle_at: call(303, 264),
  open_by_handle_at: call(304, 265),
  vmsplice: call(278, 75),
  modify_ldt: call(154, null),
  mbind: call(237, 235),
  set_mempolicy: call(238, 237),
  get_mempolicy: call(239, 236),
  migrate_pages: call(256, 238),
  move_pages: call(279, 239),
  set_mempolicy_home_node: call(450, 450),

  // memory that is counted neither for a process nor for a mount with a size limit
  memfd_create: call(319, 279),
  memfd_secret: call(447, 447),
  shmget: call(29, 194),
  msgget: call(68, 186),
  semget: call(64, 190),
  mq_open: call(240, 180),

  // the machine itself
  acct: call(163, 89),
  adjtimex: call(159, 171),
  clock_adjtime: call(305, 266),
  clock_settime: call(227, 112),
  settimeofday: call(164, 170),
  create_module: call(174, null),
  init_module: call(175, 105),
  finit_module: call(313, 273),
  delete_module: call(176, 106),
  get_kernel_syms: call(177, null),
  query_module: call(178, null),
  ioperm: call(173, null),
  iopl: call(172, null),
  kexec_load: call(246, 104),
  kexec_file_load: call(320, 294),
  lookup_dcookie: call(212, 18),
  nfsservctl: call(180, 42),
  quotactl: call(179, 60),
  quotactl_fd: call(443, 443),
  reboot: call(169, 142),
  setdomainname: call(171, 162),
  sethostname: call(170, 161),
  swapon: call(167, 224),
  swapoff: call(168, 225),
  _sysctl: call(156, null),
  sysfs: call(139, null),
  syslog: call(103, 116),
  uselib: call(134, null),
  ustat: call(136, null),
  vhangup: call(153, 58),
}

/** Denied with ENOSYS, as on an older kernel: callers fall back to an older system call. */
const unimplementedCalls: Readonly<Record<string, CallNumbers>> = {
  clone3: call(435, 435), // passes its flags in memory, which a filter cannot read
  io_uring_setup: call(425, 425), // would perform denied operations without passing the filter
  io_uring_enter: call(426, 426),
  io_uring_register: call(427, 427),
}

const callsWithCheckedArguments = {
  clone: call(56, 220),
  socket: call(41, 198),
  socketpair: call(53, 199),
  ioctl: call(16, 29),
  personality: call(135, 92),
  mmap: call(9, 222),
} satisfies Record<string, CallNumbers>

const newNamespaceFlags = 0x7e020080 // every CLONE_NEW… flag that clone accepts
const socketFamilies = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const netlinkRoute = 0
const terminalInjectionRequests = [0x5412, 0x541c] // TIOCSTI, TIOCLINUX
const mappingFlags = { shared: 0x01, anonymous: 0x20 }
const allowedPersonalities = [0, 0xffffffff] // the default, and the value that queries the current one

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 }
const action = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  fail: (errorNumber: number) => 0x00050000 | errorNumber,
}

// struct seccomp_data
const callNumberOffset = 0
const architectureOffset = 4
const argumentOffset = (index: number) => 16 + index * 8 // the lower half: both architectures are little-endian

// linux/bpf_common.h
const load = (offset: number) => instruction(0x20, 0, 0, offset)
const finish = (value: number) => instruction(0x06, 0, 0, value)
const jumpCodes = { equal: 0x15, greater: 0x25, anyBit: 0x45 }

/** Runs `then` if the comparison is true, otherwise skips it. A jump reaches at most 255 instructions. */
function when(comparison: keyof typeof jumpCodes, value: number, then: readonly Buffer[]): Buffer[] {
  if (then.length > 255) throw new Error('A BPF jump reaches at most 255 instructions.')
  return [instruction(jumpCodes[comparison], 0, then.length, value), ...then]
}

function instruction(code: number, jumpTrue: number, jumpFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(jumpTrue, 2)
  bytes.writeUInt8(jumpFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}

/** Throws on an architecture whose system call numbers are not listed here: there is no sandbox without a filter. */
function requireSupported(architecture: string): Architecture {
  if ((architecture === 'x64' || architecture === 'arm64') && endianness() === 'LE') return architecture
  throw new Error(`The sandbox supports x64 and arm64, not ${architecture}. Run the runner on one of these.`)
}

const rejectForeignCalls = (architecture: Architecture): Buffer[] => [
  load(architectureOffset),
  instruction(jumpCodes.equal, 1, 0, auditArchitecture[architecture]),
  finish(action.kill), // a 32-bit program would use other call numbers
  load(callNumberOffset),
  // On x64 this includes the x32 calls, which start at 2^30.
  ...when('greater', lastKnownCall, [finish(action.fail(errno.ENOSYS))]),
]

/** What the runner and bubblewrap call to create a sandbox, and what Node calls. */
const callsOutsideTheSandbox = new Set([
  'unshare',
  'setns',
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'sethostname',
  'memfd_create',
  'shmget',
  'msgget',
  'semget',
  'clone3',
])

/**
 * The filter of the whole container of a runner, which also applies to the runner itself. Container runtimes deny user
 * namespaces with their own filter, so the runner's container has none of theirs, and the image installs this one. Everything
 * is denied as on an older kernel, so that bubblewrap falls back from the new mount calls to the old ones.
 */
export function compileContainerSeccompFilter(architectureName: string): Buffer {
  const architecture = requireSupported(architectureName)
  const denied = Object.entries({ ...deniedCalls, ...unimplementedCalls }).filter(
    ([name]) => !callsOutsideTheSandbox.has(name),
  )
  return Buffer.concat([
    ...rejectForeignCalls(architecture),
    ...denied.flatMap(([, numbers]) =>
      numbers[architecture] === null ? [] : when('equal', numbers[architecture], [finish(action.fail(errno.ENOSYS))]),
    ),
    finish(action.allow),
  ])
}

export function compileSeccompFilter(architectureName: string): Buffer {
  const architecture = requireSupported(architectureName)
  const onCall = (numbers: CallNumbers, then: readonly Buffer[]) =>
    numbers[architecture] === null ? [] : when('equal', numbers[architecture], then)
  const whenOneOf = (values: readonly number[], then: Buffer) => values.flatMap((value) => when('equal', value, [then]))
  const allow = finish(action.allow)
  const deny = finish(action.fail(errno.EPERM))
  const notImplemented = finish(action.fail(errno.ENOSYS))
  const familyNotSupported = finish(action.fail(errno.EAFNOSUPPORT))

  return Buffer.concat([
    ...rejectForeignCalls(architecture),
    ...Object.values(deniedCalls).flatMap((numbers) => onCall(numbers, [deny])),
    ...Object.values(unimplementedCalls).flatMap((numbers) => onCall(numbers, [notImplemented])),
    ...onCall(callsWithCheckedArguments.clone, [
      load(argumentOffset(0)),
      ...when('anyBit', newNamespaceFlags, [deny]),
      allow,
    ]),
    // Network namespaces do not isolate every family: AF_VSOCK reaches the host of a virtual machine.
    ...onCall(callsWithCheckedArguments.socket, [
      load(argumentOffset(0)),
      ...whenOneOf([socketFamilies.unix, socketFamilies.inet, socketFamilies.inet6], allow),
      ...when('equal', socketFamilies.netlink, [
        load(argumentOffset(2)),
        ...when('equal', netlinkRoute, [allow]),
        familyNotSupported,
      ]),
      familyNotSupported,
    ]),
    ...onCall(callsWithCheckedArguments.socketpair, [
      load(argumentOffset(0)),
      ...whenOneOf([socketFamilies.unix], allow),
      familyNotSupported,
    ]),
    ...onCall(callsWithCheckedArguments.ioctl, [
      load(argumentOffset(1)),
      ...whenOneOf(terminalInjectionRequests, deny),
      allow,
    ]),
    ...onCall(callsWithCheckedArguments.personality, [
      load(argumentOffset(0)),
      ...whenOneOf(allowedPersonalities, allow),
      deny,
    ]),
    // Shared anonymous memory is not counted for a process once it has unmapped it.
    ...onCall(callsWithCheckedArguments.mmap, [
      load(argumentOffset(3)),
      ...when('anyBit', mappingFlags.shared, when('anyBit', mappingFlags.anonymous, [deny])),
      allow,
    ]),
    allow,
  ])
}
