import { describe, expect, it } from 'vitest'
import { compileContainerSeccompFilter, compileSeccompFilter } from './seccomp.ts'

const audit = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 }

/** Interprets the BPF program like the kernel, for the instructions that it uses. */
function run(program: Buffer, data: { architecture: number; number: number; args?: readonly number[] }): string {
  const fields = new Map([
    [0, data.number],
    [4, data.architecture],
    ...(data.args ?? []).map((value, index) => [16 + index * 8, value] as const),
  ])
  let accumulator = 0
  for (let index = 0; index < program.length / 8; index += 1) {
    const code = program.readUInt16LE(index * 8)
    const ifTrue = program.readUInt8(index * 8 + 2)
    const ifFalse = program.readUInt8(index * 8 + 3)
    const value = program.readUInt32LE(index * 8 + 4)
    const jump = (condition: boolean) => {
      index += condition ? ifTrue : ifFalse
    }
    if (code === 0x20) accumulator = fields.get(value) ?? 0
    else if (code === 0x15) jump(accumulator === value)
    else if (code === 0x25) jump(accumulator > value)
    else if (code === 0x45) jump((accumulator & value) !== 0)
    else if (code === 0x06) return describeAction(value)
    else throw new Error(`unknown instruction ${code.toString(16)}`)
  }
  throw new Error('the program does not return')
}

function describeAction(value: number): string {
  if (value === 0x7fff0000) return 'allowed'
  if (value === 0x80000000) return 'killed'
  return `errno ${value & 0xffff}`
}

const x64 = (number: number, ...args: number[]) =>
  run(compileSeccompFilter('x64'), { architecture: audit.x64, number, args })
const arm64 = (number: number, ...args: number[]) =>
  run(compileSeccompFilter('arm64'), { architecture: audit.arm64, number, args })

describe('seccomp filter', () => {
  it.each([
    ['read', x64(0), arm64(63)],
    ['openat', x64(257), arm64(56)],
    ['execve', x64(59), arm64(221)],
    ['a private mapping', x64(9, 0, 4096, 3, 0x22), arm64(222, 0, 4096, 3, 0x22)],
    ['a shared mapping of a file', x64(9, 0, 4096, 3, 0x01), arm64(222, 0, 4096, 3, 0x01)],
    ['kill', x64(62), arm64(129)],
    ['clone of a process', x64(56, 0x1200011), arm64(220, 0x1200011)],
    ['clone of a thread', x64(56, 0x3d0f00), arm64(220, 0x3d0f00)],
    ['a Unix socket', x64(41, 1, 1, 0), arm64(198, 1, 1, 0)],
    ['a TCP socket', x64(41, 2, 1, 0), arm64(198, 10, 1, 0)],
    ['a netlink route socket', x64(41, 16, 3, 0), arm64(198, 16, 3, 0)],
    ['ioctl for the terminal size', x64(16, 0, 0x5413), arm64(29, 0, 0x5413)],
    ['querying the personality', x64(135, 0xffffffff), arm64(92, 0xffffffff)],
  ])('allows %s', (_, ...actions) => expect(actions).toEqual(['allowed', 'allowed']))

  it.each([
    ['unshare', x64(272), arm64(97)],
    ['ptrace', x64(101), arm64(117)],
    ['mount', x64(165), arm64(40)],
    ['bpf', x64(321), arm64(280)],
    ['keyctl', x64(250), arm64(219)],
    ['memfd_create', x64(319), arm64(279)],
    ['a shared anonymous mapping', x64(9, 0, 4096, 3, 0x21), arm64(222, 0, 4096, 3, 0x23)],
    ['vhangup, the last call of the list', x64(153), arm64(58)],
    ['clone with a new user namespace', x64(56, 0x10000011), arm64(220, 0x10000011)],
    ['ioctl that types into the terminal', x64(16, 0, 0x5412), arm64(29, 0, 0x541c)],
    ['a personality without address randomization', x64(135, 0x0040000), arm64(92, 0x0040000)],
  ])('denies %s with EPERM', (_, ...actions) => expect(actions).toEqual(['errno 1', 'errno 1']))

  it.each([
    ['AF_VSOCK', x64(41, 40, 1, 0), arm64(198, 40, 1, 0)],
    ['AF_PACKET', x64(41, 17, 3, 0), arm64(198, 17, 3, 0)],
    ['AF_ALG', x64(41, 38, 5, 0), arm64(198, 38, 5, 0)],
    ['netlink other than route', x64(41, 16, 3, 9), arm64(198, 16, 3, 9)],
    ['AF_INET pairs', x64(53, 2, 1, 0), arm64(199, 2, 1, 0)],
  ])('denies sockets of %s with EAFNOSUPPORT', (_, ...actions) => expect(actions).toEqual(['errno 97', 'errno 97']))

  it.each([
    ['clone3', x64(435), arm64(435)],
    ['io_uring_setup', x64(425), arm64(425)],
    ['calls newer than the list', x64(463), arm64(463)],
    ['x32 calls', x64(0x40000000), arm64(0x40000000)],
  ])('denies %s with ENOSYS', (_, ...actions) => expect(actions).toEqual(['errno 38', 'errno 38']))

  it('kills a program of another architecture', () => {
    for (const architecture of ['x64', 'arm64'] as const)
      expect(run(compileSeccompFilter(architecture), { architecture: audit.i386, number: 0 })).toBe('killed')
  })

  it('throws on an unsupported architecture', () => {
    expect(() => compileSeccompFilter('riscv64')).toThrow('x64 and arm64')
  })
})

describe('seccomp filter of the container', () => {
  const x64 = (number: number) =>
    run(compileContainerSeccompFilter('x64'), { architecture: audit.x64, number, args: [0] })
  const arm64 = (number: number) =>
    run(compileContainerSeccompFilter('arm64'), { architecture: audit.arm64, number, args: [0] })

  it.each([
    ['read', x64(0), arm64(63)],
    ['unshare', x64(272), arm64(97)],
    ['mount', x64(165), arm64(40)],
    ['pivot_root', x64(155), arm64(41)],
    ['clone3', x64(435), arm64(435)],
  ])('allows %s, to create a sandbox', (_, ...actions) => expect(actions).toEqual(['allowed', 'allowed']))

  it.each([
    ['bpf', x64(321), arm64(280)],
    ['ptrace', x64(101), arm64(117)],
    ['keyctl', x64(250), arm64(219)],
    ['io_uring_setup', x64(425), arm64(425)],
    ['fsopen', x64(430), arm64(430)],
    ['init_module', x64(175), arm64(105)],
    ['a call that is newer than the list', x64(463), arm64(463)],
  ])('denies %s', (_, ...actions) => expect(actions).toEqual(['errno 38', 'errno 38']))
})
