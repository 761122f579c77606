import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const command = fileURLToPath(new URL('./server.ts', import.meta.url))

describe('server.ts', () => {
  it('prints its URL when it is ready, and stops immediately even during a response', async () => {
    const child = spawn(process.execPath, [command, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [line] = await once(child.stdout, 'data')
      const url = /^ready (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(String(line))?.[1]
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer any' },
        body: JSON.stringify({
          model: 'scripted/silent',
          stream: true,
          messages: [{ role: 'user', content: 'hi' }],
          tools: [{ type: 'function', function: { name: 'write' } }],
        }),
      })
      expect(response.status).toBe(200)
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([0, null])
      await response.body?.cancel().catch(() => undefined)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it.each([[[]], [['--port']], [['--port', 'x']], [['--port', '65536']], [['--port', '0', '--verbose']], [['4010']]])(
    'prints one line with the usage for %j',
    (args: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' })
      expect(status).toBe(2)
      expect(stderr).toMatch(/^[^\n]*--port <[^\n]*\n$/)
    },
  )
})
