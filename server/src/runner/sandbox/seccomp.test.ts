import { describe, expect, it } from 'vitest'
import { seccompProgram } from './seccomp.ts'

const audit = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 }

/** What the kernel does with the program, for the instructions that it uses. */
function run(program: Buffer, data: { architecture: number; number: number; args?: readonly number[] }): string {
  const words = new Map([
    [0, data.number],
    [4, data.architecture],
    ...(data.args ?? []).map((value, index) => [16 + index * 8, value] as const),
  ])
  let accumulator = 0
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8)
    const ifTrue = program.readUInt8(at * 8 + 2)
    const ifFalse = program.readUInt8(at * 8 + 3)
    const value = program.readUInt32LE(at * 8 + 4)
    const jump = (holds: boolean) => {
      at += holds ? ifTrue : ifFalse
    }
    if (code === 0x20) accumulator = words.get(value) ?? 0
    else if (code === 0x15) jump(accumulator === value)
    else if (code === 0x25) jump(accumulator > value)
    else if (code === 0x45) jump((accumulator & value) !== 0)
    else if (code === 0x06) return verdictOf(value)
    else throw new Error(`instruction ${code.toString(16)}`)
  }
  throw new Error('the program has no end')
}

function verdictOf(value: number): string {
  if (value === 0x7fff0000) return 'allowed'
  if (value === 0x80000000) return 'killed'
  return `refused ${value & 0xffff}`
}

const x64 = (number: number, ...args: number[]) => run(seccompProgram('x64'), { architecture: audit.x64, number, args })
const arm64 = (number: number, ...args: number[]) =>
  run(seccompProgram('arm64'), { architecture: audit.arm64, number, args })

describe('the filter of system calls', () => {
  it.each([
    ['read', x64(0), arm64(63)],
    ['openat', x64(257), arm64(56)],
    ['execve', x64(59), arm64(221)],
    ['mmap', x64(9), arm64(222)],
    ['kill', x64(62), arm64(129)],
    ['a new process', x64(56, 0x1200011), arm64(220, 0x1200011)],
    ['a new thread', x64(56, 0x3d0f00), arm64(220, 0x3d0f00)],
    ['a Unix socket', x64(41, 1, 1, 0), arm64(198, 1, 1, 0)],
    ['a TCP socket', x64(41, 2, 1, 0), arm64(198, 10, 1, 0)],
    ['the list of interfaces', x64(41, 16, 3, 0), arm64(198, 16, 3, 0)],
    ['the size of a terminal', x64(16, 0, 0x5413), arm64(29, 0, 0x5413)],
    ['which personality', x64(135, 0xffffffff), arm64(92, 0xffffffff)],
  ])('lets through: %s', (_, ...verdicts) => expect(verdicts).toEqual(['allowed', 'allowed']))

  it.each([
    ['unshare', x64(272), arm64(97)],
    ['ptrace', x64(101), arm64(117)],
    ['mount', x64(165), arm64(40)],
    ['bpf', x64(321), arm64(280)],
    ['keyctl', x64(250), arm64(219)],
    ['memfd_create', x64(319), arm64(279)],
    ['the last of the list', x64(153), arm64(58)],
    ['a process in a new user namespace', x64(56, 0x10000011), arm64(220, 0x10000011)],
    ['typing into the terminal', x64(16, 0, 0x5412), arm64(29, 0, 0x541c)],
    ['memory that is not moved about', x64(135, 0x0040000), arm64(92, 0x0040000)],
  ])('refuses: %s', (_, ...verdicts) => expect(verdicts).toEqual(['refused 1', 'refused 1']))

  it.each([
    ['to the host of a virtual machine', x64(41, 40, 1, 0), arm64(198, 40, 1, 0)],
    ['of raw packets', x64(41, 17, 3, 0), arm64(198, 17, 3, 0)],
    ['to the kernel crypto', x64(41, 38, 5, 0), arm64(198, 38, 5, 0)],
    ['to other parts of the kernel', x64(41, 16, 3, 9), arm64(198, 16, 3, 9)],
    ['in pairs', x64(53, 2, 1, 0), arm64(199, 2, 1, 0)],
  ])('knows no socket %s', (_, ...verdicts) => expect(verdicts).toEqual(['refused 97', 'refused 97']))

  it.each([
    ['clone3', x64(435), arm64(435)],
    ['io_uring_setup', x64(425), arm64(425)],
    ['a call that is newer than the list', x64(463), arm64(463)],
    ['x32', x64(0x40000000), arm64(0x40000000)],
  ])('acts as if there were no %s', (_, ...verdicts) => expect(verdicts).toEqual(['refused 38', 'refused 38']))

  it('ends a program of another architecture', () => {
    for (const architecture of ['x64', 'arm64'] as const)
      expect(run(seccompProgram(architecture), { architecture: audit.i386, number: 0 })).toBe('killed')
  })

  it('is not made for machines that it does not know', () => {
    expect(() => seccompProgram('riscv64')).toThrow('x64 and arm64')
  })
})
