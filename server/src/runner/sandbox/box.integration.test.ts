import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { processesOnHost } from '../testing/processes-on-host.ts'
import { Box } from './box.ts'
import type { BoxOptions } from './enclosure.ts'
import { boxLimits } from './limits.ts'
import { openWayOut, type WayOut } from './way-out.ts'

let open: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of open.toReversed()) await part[Symbol.asyncDispose]()
  open = []
})

async function openBox(options: Partial<BoxOptions> = {}): Promise<Box> {
  const wayOut: WayOut = await openWayOut({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', paths: ['/'] })
  open.push(wayOut)
  const box = await Box.open({ mounts: [], groups: undefined, gatewayDirectory: wayOut.directory, ...options })
  open.push(box)
  return box
}

async function shell(box: Box, script: string, input?: string) {
  const command = { command: ['bash', '-c', script], maxOutputBytes: 100_000 } as const
  const { end, output, errorOutput } = await box.run(command, input === undefined ? {} : { input })
  return { end, output: output.toString('utf8'), errorOutput: errorOutput.toString('utf8') }
}

describe('a box', () => {
  it('runs programs and says how they ended', async () => {
    const box = await openBox()
    await expect(shell(box, 'cat; echo no >&2; exit 3', 'in')).resolves.toEqual({
      end: { kind: 'exited', code: 3 },
      output: 'in',
      errorOutput: 'no\n',
    })
    await expect(shell(box, 'kill -9 $$')).resolves.toMatchObject({ end: { kind: 'killed', signal: 'SIGKILL' } })
    const missing = box.run({ command: ['no-such-program'], maxOutputBytes: 1 })
    await expect(missing).resolves.toMatchObject({ end: { kind: 'not_started' } })
  })

  it('moves files in and out as bytes', async () => {
    const box = await openBox()
    const bytes = Buffer.alloc(5_000_000, 'colophon ')
    await box.run({ command: ['tee', '/state/file'], maxOutputBytes: 6_000_000 }, { input: bytes })
    const { output } = await box.run({ command: ['cat', '/state/file'], maxOutputBytes: 6_000_000 })
    expect(output.equals(bytes)).toBe(true)
  })

  it('does not wait for what a program left running', async () => {
    const box = await openBox()
    await expect(shell(box, 'sleep 60 & echo done')).resolves.toMatchObject({ output: 'done\n' })
  })

  it('bounds what comes out', async () => {
    const box = await openBox()
    const endless = await box.run({ command: ['yes'], maxOutputBytes: 1_000_000 })
    expect(endless.end).toEqual({ kind: 'too_much_output' })
    expect(endless.output.length).toBeLessThanOrEqual(1_000_000)
    await expect(shell(box, 'pgrep -x yes')).resolves.toMatchObject({ output: '' })
  })

  it('bounds what is written, in bytes and in files', async () => {
    const small = { sizeBytes: 1_048_576, files: 50 }
    const box = await openBox({ limits: { ...boxLimits, workspace: small, temporary: small } })
    await expect(shell(box, 'head -c 9000000 /dev/zero > big')).resolves.toMatchObject({
      errorOutput: expect.stringContaining('No space left'),
    })
    await expect(shell(box, 'touch /tmp/{1..60}')).resolves.toMatchObject({
      errorOutput: expect.stringContaining('No space left'),
    })
  })

  it('survives a fork bomb', async () => {
    const box = await openBox()
    const bomb = box.start(
      { command: ['bash', '-c', ':(){ :|:& };:'], maxOutputBytes: 10_000_000 },
      { onOutput() {}, onErrorOutput() {} },
    )
    await bomb.ended
    await sleep(1_000)
    await box.endProcesses()
    await expect(shell(box, 'echo well')).resolves.toMatchObject({ output: 'well\n' })
  })

  it('ends when its processes use too much memory together', async () => {
    const box = await openBox({ limits: { ...boxLimits, memoryBytes: 300 * 1024 * 1024 } })
    const hungry = `node -e "const b=Buffer.alloc(200_000_000,1);setTimeout(()=>{},60_000)"`
    await expect(shell(box, `${hungry} & ${hungry} & wait`)).resolves.toMatchObject({
      end: { kind: 'box_ended', reason: expect.stringContaining('memory') },
    })
  })

  it('lets nobody inside speak in the place of its keeper, and ends with it', async () => {
    const box = await openBox()
    await expect(shell(box, 'echo lies > /proc/2/fd/1')).resolves.toMatchObject({ end: { kind: 'exited', code: 1 } })
    await expect(shell(box, 'kill -9 2; sleep 60')).resolves.toMatchObject({ end: { kind: 'box_ended' } })
  })

  it('takes every process with it, also those that hid', async () => {
    const box = await openBox()
    await shell(box, 'setsid nohup sleep 31415926 > /dev/null 2>&1 & (setsid sleep 31415926 &) & sleep 0.3')
    expect(processesOnHost('31415926')).not.toEqual([])
    const before = Date.now()
    await box.close()
    expect(processesOnHost('31415926')).toEqual([])
    expect(Date.now() - before).toBeLessThan(5_000)
  })

  it('can end the processes of one step and go on with the next', async () => {
    const box = await openBox()
    await shell(box, '(setsid sleep 27182818 &) & sleep 0.3')
    await box.endProcesses()
    await vi.waitFor(() => expect(processesOnHost('27182818')).toEqual([]))
    await expect(shell(box, 'echo still here')).resolves.toMatchObject({ output: 'still here\n' })
  })

  it('does not outlive a runner that is killed', async () => {
    const program = `
      import { Box } from '${join(import.meta.dirname, 'box.ts')}'
      import { openWayOut } from '${join(import.meta.dirname, 'way-out.ts')}'
      const { directory } = await openWayOut({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', paths: [] })
      const box = await Box.open({ mounts: [], groups: undefined, gatewayDirectory: directory })
      box.start({ command: ['setsid', 'sleep', '16180339'], mostOutputBytes: 1 }, { onOutput() {}, onErrorOutput() {} })
      setTimeout(() => console.log(directory), 500)`
    const runner = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [directory] = await once(runner.stdout, 'data')
    expect(existsSync(String(directory).trim())).toBe(true)
    expect(processesOnHost('16180339')).not.toEqual([])
    runner.kill('SIGKILL')
    await vi.waitFor(() => expect(processesOnHost('16180339')).toEqual([]), 5_000)
  })

  it('says so when it is over', async () => {
    const box = await openBox()
    await box.close()
    await expect(shell(box, 'true')).resolves.toMatchObject({ end: { kind: 'box_ended' } })
    await box.endProcesses()
  })
})
