import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createEgress } from '../../platform/egress/egress.ts'
import { createLog } from '../../platform/log.ts'
import { findNewerRelease, startReleaseWatcher } from './watch-releases.ts'

test('finds the newest release of a feed, in both formats', () => {
  expect(findNewerRelease({ version: '0.10.0' }, '0.9.1')).toBe('0.10.0')
  expect(findNewerRelease({ tag_name: 'v0.9.1' }, '0.9.1')).toBe(null)
  expect(findNewerRelease([{ tag_name: 'v0.9.2' }, { tag_name: 'v0.11.0' }, { tag_name: 'v0.9.0' }], '0.9.1')).toBe(
    '0.11.0',
  )
  const unfinished = [
    { tag_name: 'v0.12.0', prerelease: true, draft: false },
    { tag_name: 'v0.13.0', prerelease: false, draft: true },
    { tag_name: 'v0.11.0', prerelease: false, draft: false },
  ]
  expect(findNewerRelease(unfinished, '0.9.1')).toBe('0.11.0')
  expect(findNewerRelease([{ tag_name: 'v1.0.0-rc.1' }, {}, null, 'text'], '0.9.1')).toBe(null)
})

test('reports what the feed says, and only logs a feed that fails', async () => {
  let body = JSON.stringify({ version: '999.0.0' })
  const server = createServer((_request, response) => response.end(body))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const egress = createEgress({ allowedHosts: [host] })
  onTestFinished(() => egress.close())
  const lines: string[] = []
  const log = createLog('test', { level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const reported: (string | null)[] = []
  const watch = (feedUrl: string) =>
    startReleaseWatcher({ feedUrl, egress, onNewer: (version) => void reported.push(version), log })

  const watcher = watch(`http://${host}/`)
  await expect.poll(() => reported).toEqual(['999.0.0'])
  await watcher.stop()
  body = '<html>'
  const failing = watch(`http://${host}/`)
  await expect.poll(() => lines.length).toBe(1)
  expect(lines[0]).toContain('could not look up the newest release')
  await failing.stop()
  expect(reported).toEqual(['999.0.0'])
})
