/**
 * Which system calls work in the box, as a program for the kernel's filter (classic BPF; seccomp(2)). A list of what is
 * refused, not of what is allowed: a model may run any program of the system, and a list of allowed calls is never whole.
 * What the list misses because it is newer than the list is refused by its number.
 */
import { endianness } from 'node:os'

type Architecture = 'x64' | 'arm64'

const auditArchitecture: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** The last call that was looked at (`mseal`); the numbers go on in step on all architectures. */
const lastKnownCall = 462

/** Null: the architecture does not have it. */
type Numbers = Readonly<Record<Architecture, number | null>>
const call = (x64: number, arm64: number | null): Numbers => ({ x64, arm64 })

/** Not permitted, whatever is asked. */
const refused: Readonly<Record<string, Numbers>> = {
  // other namespaces and mounts, should a capability ever come back
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

  // into other processes: also the keeper is one
  ptrace: call(101, 117),
  process_vm_readv: call(310, 270),
  process_vm_writev: call(311, 271),
  process_madvise: call(440, 440),
  kcmp: call(312, 272),
  pidfd_getfd: call(438, 438),

  // parts of the kernel where most ways out of containers went through
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

  // memory that belongs to no process and to no mount with a size
  memfd_create: call(319, 279),
  memfd_secret: call(447, 447),
  shmget: call(29, 194),
  msgget: call(68, 186),
  semget: call(64, 190),

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

/** As if the kernel were older: who asks falls back to what it did before. */
const notThere: Readonly<Record<string, Numbers>> = {
  clone3: call(435, 435), // hides its flags in memory, where a filter cannot look
  io_uring_setup: call(425, 425), // would do what is refused here, past the filter
  io_uring_enter: call(426, 426),
  io_uring_register: call(427, 427),
}

const examined = {
  clone: call(56, 220),
  socket: call(41, 198),
  socketpair: call(53, 199),
  ioctl: call(16, 29),
  personality: call(135, 92),
} satisfies Record<string, Numbers>

const newNamespaces = 0x7e020080 // every CLONE_NEW… flag that clone takes
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const routeNetlink = 0
const terminalInjection = [0x5412, 0x541c] // TIOCSTI, TIOCLINUX
const plainPersonality = [0, 0xffffffff] // the usual one, and the question which it is

const errno = { notPermitted: 1, noSuchCall: 38, noSuchFamily: 97 }
const verdict = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  refuse: (number: number) => 0x00050000 | number,
}

// struct seccomp_data
const atNumber = 0
const atArchitecture = 4
const atArgument = (index: number) => 16 + index * 8 // its lower half, on the little-endian machines that there are

// linux/bpf_common.h
const load = (offset: number) => instruction(0x20, 0, 0, offset)
const response = (value: number) => instruction(0x06, 0, 0, value)
const skipUnless = { equal: 0x15, greater: 0x25, anyBit: 0x45 }

/** `then` is done when the comparison holds, else what follows it. A jump reaches 255 instructions, `then` is shorter. */
function when(comparison: keyof typeof skipUnless, value: number, then: readonly Buffer[]): Buffer[] {
  if (then.length > 255) throw new Error('too long for a jump')
  return [instruction(skipUnless[comparison], 0, then.length, value), ...then]
}

function instruction(code: number, jumpTrue: number, jumpFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(jumpTrue, 2)
  bytes.writeUInt8(jumpFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}

/** Throws where the machine is none that the numbers are known for: without a filter there is no box. */
export function seccompProgram(architecture: string): Buffer {
  if ((architecture !== 'x64' && architecture !== 'arm64') || endianness() !== 'LE')
    throw new Error(`The sandbox knows the system calls of x64 and arm64, not of ${architecture}.`)

  const on = (numbers: Numbers, then: readonly Buffer[]) =>
    numbers[architecture] === null ? [] : when('equal', numbers[architecture], then)
  const oneOf = (values: readonly number[], then: Buffer) => values.flatMap((value) => when('equal', value, [then]))
  const allow = response(verdict.allow)
  const refuse = response(verdict.refuse(errno.notPermitted))
  const deny = response(verdict.refuse(errno.noSuchCall))
  const noFamily = response(verdict.refuse(errno.noSuchFamily))

  return Buffer.concat([
    load(atArchitecture),
    instruction(skipUnless.equal, 1, 0, auditArchitecture[architecture]),
    response(verdict.kill), // a 32-bit program would ask by other numbers
    load(atNumber),
    ...when('greater', lastKnownCall, [deny]), // on x64 also the x32 calls, whose numbers start at 2^30
    ...Object.values(refused).flatMap((numbers) => on(numbers, [refuse])),
    ...Object.values(notThere).flatMap((numbers) => on(numbers, [deny])),
    ...on(examined.clone, [load(atArgument(0)), ...when('anyBit', newNamespaces, [refuse]), allow]),
    // Network namespaces do not hold every family: a virtual machine's host is reached by AF_VSOCK.
    ...on(examined.socket, [
      load(atArgument(0)),
      ...oneOf([families.unix, families.inet, families.inet6], allow),
      ...when('equal', families.netlink, [load(atArgument(2)), ...when('equal', routeNetlink, [allow]), noFamily]),
      noFamily,
    ]),
    ...on(examined.socketpair, [load(atArgument(0)), ...oneOf([families.unix], allow), noFamily]),
    ...on(examined.ioctl, [load(atArgument(1)), ...oneOf(terminalInjection, refuse), allow]),
    ...on(examined.personality, [load(atArgument(0)), ...oneOf(plainPersonality, allow), refuse]),
    allow,
  ])
}
