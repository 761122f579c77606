import { expect, it } from 'vitest'
import { runCommand } from '../../../testing/services/run-command.ts'
import { createUnknownSite } from '../site-generators/generators/unknown.ts'
import { runInspection } from './run-inspection.ts'

const input = {
  sites: [createUnknownSite('docs')],
  changes: [{ path: 'docs/new.md', before: undefined, after: '# New\n\n<script>x()</script>\n' }],
  allowedPaths: [],
  removed: [],
  basePages: undefined,
}
const { signal } = new AbortController()

it('inspects in a process of its own', { timeout: 60_000 }, async () => {
  await expect(runInspection(input, { signal, timeoutMs: 50_000 })).resolves.toMatchObject({
    refusals: [{ code: 'active_content', path: 'docs/new.md', line: 3 }],
    tookMs: expect.any(Number),
  })
})

it('refuses what takes too long', { timeout: 60_000 }, async () => {
  await expect(runInspection(input, { signal, timeoutMs: 1 })).resolves.toMatchObject({
    refusals: [{ code: 'inspection_failed', path: '' }],
  })
})

it('rejects if it is aborted', { timeout: 60_000 }, async () => {
  await expect(runInspection(input, { signal: AbortSignal.abort(), timeoutMs: 50_000 })).rejects.toThrow('aborted')
})

it('rejects if a service manager stops all processes of worker', { timeout: 60_000 }, async () => {
  const inspecting = expect(runInspection(input, { signal, timeoutMs: 50_000 })).rejects.toThrow('stopped with SIGTERM')
  let pid: number | undefined
  while (pid === undefined) pid = await findInspection()
  process.kill(pid, 'SIGTERM')
  await inspecting
})

async function findInspection(): Promise<number | undefined> {
  const lines = (await runCommand(['ps', '-A', '-o', 'pid=,ppid=,args='])).split('\n')
  const found = lines.find((line) => line.includes('inspection-process.ts') && line.includes(` ${process.pid} `))
  return found === undefined ? undefined : Number.parseInt(found, 10)
}
