/** The script in a real browser, if one is installed: from the page into the buffer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { findBinary } from '../../../../testing/services/find-binary.ts'

const chromium = findBinary('chromium')
const person = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'

/** Controls a page of a browser over the DevTools protocol. */
async function openBrowser(binary: string) {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-browser-'))
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0']
  const args = [...options, `--user-agent=${person}`, `--user-data-dir=${directory}`, 'about:blank']
  const browser = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(async () => {
    browser.kill('SIGKILL')
    await once(browser, 'close')
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  const url = await new Promise<string>((resolve) => {
    let output = ''
    browser.stderr.on('data', (chunk) => {
      output += chunk
      const found = output.match(/listening on (ws:\S+)/)?.[1]
      if (found) resolve(found)
    })
  })
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const pending = new Map<number, (result: Record<string, string>) => void>()
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: Record<string, string> }
    pending.get(id)?.(result)
  }
  let calls = 0
  const call = (method: string, params: object, sessionId?: string) =>
    new Promise<Record<string, string>>((resolve) => {
      pending.set(++calls, resolve)
      socket.send(JSON.stringify({ id: calls, method, params, sessionId }))
    })
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
  return {
    open: (url: string) => call('Page.navigate', { url }, sessionId),
    run: (expression: string) => call('Runtime.evaluate', { expression }, sessionId),
  }
}

test.skipIf(!chromium)('counts every page that is shown once, and no error pages', { timeout: 90_000 }, async () => {
  const api = await startTestApi(inject('services'), 'browser')
  onTestFinished(() => api.drop())
  const { projectId } = await api.createProject()
  const { key } = await api.stores.analyticsSettings.createSiteKey(projectId, { kind: 'operator' })
  const site = createServer(({ url = '' }, response) => {
    const mark = url.startsWith('/marked') ? '<meta name="colophon" content="error">' : ''
    const script = `<script defer src="${api.url}/colophon.js" data-site="${key}"></script>`
    response.writeHead(url.startsWith('/missing') ? 404 : 200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><head>${mark}${script}</head><body>${url}</body>`)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  onTestFinished(() => void site.close())
  const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const page = await openBrowser(chromium ?? '')

  const counted = async () => {
    const { rows } = await api.pool.query<{ body: Buffer }>('SELECT body FROM view_batch ORDER BY id')
    return rows
      .flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
      .map((line) => (JSON.parse(line) as unknown[])[2])
  }
  const expected: string[] = []
  const expectView = async (act: () => Promise<unknown>, path?: string) => {
    await act()
    if (path === undefined)
      await sleep(1_500) // enough for a view that must not be counted to arrive
    else expected.push(path)
    await expect.poll(counted).toEqual(expected)
  }
  const go = (method: 'pushState' | 'replaceState', to: string) => () => page.run(`history.${method}({}, '', '${to}')`)

  await expectView(() => page.open(`${siteUrl}/docs/a?x=1#h`), '/docs/a')
  await expectView(go('pushState', '/docs/b'), '/docs/b')
  await expectView(go('pushState', '/docs/b/?q=2'))
  await expectView(go('replaceState', '/docs/c'), '/docs/c')
  await expectView(() => page.run('history.back()'), '/docs/b')
  await expectView(() => page.open(`${siteUrl}/missing`))
  await expectView(go('pushState', '/docs/d'), '/docs/d')
  await expectView(() => page.open(`${siteUrl}/marked`))
  await page.run(`document.querySelector('meta').remove(); delete Navigator.prototype.sendBeacon`)
  await expectView(go('pushState', '/docs/e'), '/docs/e')
})
