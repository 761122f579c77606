/** The script in a real browser, where there is one: from the page into the buffer. */
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
import { findBinary } from '../../../../dev-services/find-binary.ts'
import { startRunningApi } from '../../../../dev-services/running-api.ts'

const chromium = findBinary('chromium')
const person = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'

/** A page of a browser, over the DevTools protocol. */
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
  const address = await new Promise<string>((resolve) => {
    let said = ''
    browser.stderr.on('data', (chunk) => {
      said += chunk
      const found = said.match(/listening on (ws:\S+)/)?.[1]
      if (found) resolve(found)
    })
  })
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const waiting = new Map<number, (result: Record<string, string>) => void>()
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: Record<string, string> }
    waiting.get(id)?.(result)
  }
  let calls = 0
  const call = (method: string, params: object, sessionId?: string) =>
    new Promise<Record<string, string>>((resolve) => {
      waiting.set(++calls, resolve)
      socket.send(JSON.stringify({ id: calls, method, params, sessionId }))
    })
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
  return {
    open: (url: string) => call('Page.navigate', { url }, sessionId),
    run: (expression: string) => call('Runtime.evaluate', { expression }, sessionId),
  }
}

test.skipIf(!chromium)('it counts every page that is shown, once, and no error page', { timeout: 90_000 }, async () => {
  const api = await startRunningApi(inject('services'), 'browser')
  onTestFinished(() => api.drop())
  const { projectId } = await api.makeProject()
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
  const shows = async (act: () => Promise<unknown>, path?: string) => {
    await act()
    if (path === undefined)
      await sleep(1_500) // for what must not come
    else expected.push(path)
    await expect.poll(counted, { timeout: 10_000 }).toEqual(expected)
  }
  const go = (method: 'pushState' | 'replaceState', to: string) => () => page.run(`history.${method}({}, '', '${to}')`)

  await shows(() => page.open(`${siteUrl}/docs/a?x=1#h`), '/docs/a')
  await shows(go('pushState', '/docs/b'), '/docs/b')
  await shows(go('pushState', '/docs/b/?q=2'))
  await shows(go('replaceState', '/docs/c'), '/docs/c')
  await shows(() => page.run('history.back()'), '/docs/b')
  await shows(() => page.open(`${siteUrl}/missing`))
  await shows(go('pushState', '/docs/d'), '/docs/d')
  await shows(() => page.open(`${siteUrl}/marked`))
  await page.run(`document.querySelector('meta').remove(); delete Navigator.prototype.sendBeacon`)
  await shows(go('pushState', '/docs/e'), '/docs/e')
})
