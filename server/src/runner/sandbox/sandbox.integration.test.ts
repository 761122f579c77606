import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findHostProcessIds } from '../testing/host-processes.ts'
import { type EgressSocket, openEgressSocket } from './egress-socket.ts'
import { defaultSandboxLimits, sandboxNiceness } from './limits.ts'
import { memoryAttackCommand, memoryAttacks } from './resource-tests.ts'
import { Sandbox } from './sandbox.ts'
import type { SandboxOptions } from './sandbox-process.ts'

let resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of resources.toReversed()) await resource[Symbol.asyncDispose]()
  resources = []
})

async function openSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const egress: EgressSocket = await openEgressSocket({
    gatewayUrl: 'http://127.0.0.1:9',
    token: 'none',
    allowedPaths: ['/'],
  })
  resources.push(egress)
  const sandbox = await Sandbox.open({
    mounts: [],
    cgroups: undefined,
    limits: defaultSandboxLimits,
    gatewayDirectory: egress.directory,
    ...options,
  })
  resources.push(sandbox)
  return sandbox
}

async function shell(sandbox: Sandbox, script: string, input?: string) {
  const command = { command: ['bash', '-c', script], maxOutputBytes: 100_000 } as const
  const { end, output, errorOutput } = await sandbox.run(command, input === undefined ? {} : { input })
  return { end, output: output.toString('utf8'), errorOutput: errorOutput.toString('utf8') }
}

describe('sandbox', () => {
  it('runs programs and reports how they ended', async () => {
    const sandbox = await openSandbox()
    await expect(shell(sandbox, 'cat; echo no >&2; exit 3', 'in')).resolves.toEqual({
      end: { kind: 'exited', code: 3 },
      output: 'in',
      errorOutput: 'no\n',
    })
    await expect(shell(sandbox, 'kill -9 $$')).resolves.toMatchObject({ end: { kind: 'killed', signal: 'SIGKILL' } })
    const missing = sandbox.run({ command: ['no-such-program'], maxOutputBytes: 1 })
    await expect(missing).resolves.toMatchObject({ end: { kind: 'not_started' } })
  })

  it('copies files in and out as bytes', async () => {
    const sandbox = await openSandbox()
    const bytes = Buffer.alloc(5_000_000, 'colophon ')
    await sandbox.run({ command: ['tee', '/state/file'], maxOutputBytes: 6_000_000 }, { input: bytes })
    const { output } = await sandbox.run({ command: ['cat', '/state/file'], maxOutputBytes: 6_000_000 })
    expect(output.equals(bytes)).toBe(true)
  })

  it('does not wait for background processes of a program', async () => {
    const sandbox = await openSandbox()
    await expect(shell(sandbox, 'sleep 60 & echo done')).resolves.toMatchObject({ output: 'done\n' })
  })

  it('limits the output of a program', async () => {
    const sandbox = await openSandbox()
    const endless = await sandbox.run({ command: ['yes'], maxOutputBytes: 1_000_000 })
    expect(endless.end).toEqual({ kind: 'too_much_output' })
    expect(endless.output.length).toBeLessThanOrEqual(1_000_000)
    const untilEnded = 'for i in $(seq 100); do pgrep -x yes >/dev/null || break; sleep 0.1; done; pgrep -x yes'
    await expect(shell(sandbox, untilEnded)).resolves.toMatchObject({ output: '' })
  })

  it('limits written bytes and the number of files', async () => {
    const smallMount = { sizeBytes: 1_048_576, files: 50 }
    const sandbox = await openSandbox({
      limits: { ...defaultSandboxLimits, workspace: smallMount, temporary: smallMount },
    })
    await expect(shell(sandbox, 'head -c 9000000 /dev/zero > big')).resolves.toMatchObject({
      errorOutput: expect.stringContaining('No space left'),
    })
    await expect(shell(sandbox, 'touch /tmp/{1..60}')).resolves.toMatchObject({
      errorOutput: expect.stringContaining('No space left'),
    })
  })

  it('survives a fork bomb', async () => {
    const sandbox = await openSandbox()
    const bomb = sandbox.start(
      { command: ['bash', '-c', ':(){ :|:& };:'], maxOutputBytes: 10_000_000 },
      { onOutput() {}, onErrorOutput() {} },
    )
    await bomb.ended
    await sleep(1_000)
    await sandbox.killProcesses()
    await expect(shell(sandbox, 'echo alive')).resolves.toMatchObject({ output: 'alive\n' })
  })

  it('ends when its processes exceed the memory limit together', async () => {
    const sandbox = await openSandbox({ limits: { ...defaultSandboxLimits, memoryBytes: 300 * 1024 * 1024 } })
    const hungry = `node -e "const b=Buffer.alloc(200_000_000,1);setTimeout(()=>{},60_000)"`
    await expect(shell(sandbox, `${hungry} & ${hungry} & wait`)).resolves.toMatchObject({
      end: { kind: 'sandbox_ended', reason: expect.stringContaining('memory') },
    })
  })

  it.each(Object.keys(memoryAttacks))('does not let a program take memory that no limit counts: %s', async (way) => {
    const sandbox = await openSandbox({ limits: { ...defaultSandboxLimits, memoryBytes: 128 * 1024 * 1024 } })
    const { output } = await sandbox.run({ command: memoryAttackCommand(way, 192), maxOutputBytes: 10_000 })
    expect(output.toString('utf8')).not.toContain('kept')
  })

  it('gives a busy sandbox the lowest priority, and keeps it from getting another one', async () => {
    const sandbox = await openSandbox({ limits: { ...defaultSandboxLimits, cpus: 0.1 } })
    await expect(shell(sandbox, 'nice; renice -n 0 -p $$ >/dev/null 2>&1; nice')).resolves.toMatchObject({
      output: `${sandboxNiceness}\n${sandboxNiceness}\n`,
    })
    const busy = `(setsid sh -c 'while :; do :; done' &); for i in $(seq 150); do [ $(nice) = 19 ] && break; sleep 0.1; done; nice`
    await expect(shell(sandbox, busy)).resolves.toMatchObject({ output: '19\n' })
  })

  it('runs what programs commonly do with shared memory and /dev/zero', async () => {
    const sandbox = await openSandbox()
    const python = `
import mmap, tempfile
with tempfile.TemporaryFile() as file:
    file.truncate(4096)
    mmap.mmap(file.fileno(), 4096)[0:2] = b'ok'`
    await expect(shell(sandbox, `head -c 3 /dev/zero | od -An -tx1; python3 -c "${python}"`)).resolves.toEqual({
      end: { kind: 'exited', code: 0 },
      output: ' 00 00 00\n',
      errorOutput: '',
    })
  })

  it('does not let other processes write to the output of the supervisor, and ends with it', async () => {
    const sandbox = await openSandbox()
    await expect(shell(sandbox, 'echo forged > /proc/2/fd/1')).resolves.toMatchObject({
      end: { kind: 'exited', code: 1 },
    })
    await expect(shell(sandbox, 'kill -9 2; sleep 60')).resolves.toMatchObject({ end: { kind: 'sandbox_ended' } })
  })

  it('ends every process when it is closed, even detached ones', async () => {
    const sandbox = await openSandbox()
    await shell(sandbox, 'setsid nohup sleep 31415926 > /dev/null 2>&1 & (setsid sleep 31415926 &) & sleep 0.3')
    expect(findHostProcessIds('31415926')).not.toEqual([])
    const before = Date.now()
    await sandbox.close()
    expect(findHostProcessIds('31415926')).toEqual([])
    expect(Date.now() - before).toBeLessThan(20_000)
  })

  it('can kill all processes and stay open', async () => {
    const sandbox = await openSandbox()
    await shell(sandbox, '(setsid sleep 27182818 &) & sleep 0.3')
    await sandbox.killProcesses()
    await vi.waitFor(() => expect(findHostProcessIds('27182818')).toEqual([]), 20_000)
    await expect(shell(sandbox, 'echo still open')).resolves.toMatchObject({ output: 'still open\n' })
  })

  it('does not outlive a killed runner', async () => {
    const program = `
      import { Sandbox } from '${join(import.meta.dirname, 'sandbox.ts')}'
      import { defaultSandboxLimits } from '${join(import.meta.dirname, 'limits.ts')}'
      import { openEgressSocket } from '${join(import.meta.dirname, 'egress-socket.ts')}'
      const { directory } = await openEgressSocket({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', allowedPaths: [] })
      const sandbox = await Sandbox.open({ mounts: [], cgroups: undefined, limits: defaultSandboxLimits, gatewayDirectory: directory })
      sandbox.start({ command: ['setsid', 'sleep', '16180339'], maxOutputBytes: 1 }, { onOutput() {}, onErrorOutput() {} })
      setTimeout(() => console.log(directory), 500)`
    const runner = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [directory] = await once(runner.stdout, 'data')
    expect(existsSync(String(directory).trim())).toBe(true)
    expect(findHostProcessIds('16180339')).not.toEqual([])
    runner.kill('SIGKILL')
    await vi.waitFor(() => expect(findHostProcessIds('16180339')).toEqual([]), 20_000)
  })

  it('reports commands as ended after it is closed', async () => {
    const sandbox = await openSandbox()
    await sandbox.close()
    await expect(shell(sandbox, 'true')).resolves.toMatchObject({ end: { kind: 'sandbox_ended' } })
    await sandbox.killProcesses()
  })
})
