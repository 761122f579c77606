import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createHttpServer, type HttpServer } from '../../platform/http/http-server.ts'
import { createLog } from '../../platform/log.ts'
import { foldersForContributors } from '../docs/read-docs.ts'
import { addDocsPages } from './docs.ts'
import { pageHeaders } from './page-headers.ts'

const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup()
})

/** A server for a checkout with these files. */
function serve(files: Record<string, string>): { server: HttpServer; logged: () => string } {
  const root = mkdtempSync(join(tmpdir(), 'docs-pages-'))
  for (const [path, content] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const lines: string[] = []
  const log = createLog('test', { level: 'warn' }, { write: (line) => void lines.push(line) })
  const server = createHttpServer(http, log)
  addDocsPages(server, log, root)
  cleanups.push(
    () => server.close(),
    () => rmSync(root, { recursive: true }),
  )
  return { server, logged: () => lines.join('') }
}

const files = {
  'docs/runners.md':
    '# Runners\n\n## Set up a runner\n\nSee [models](models.md#add-one) and [this](#set-up-a-runner).\n',
  'docs/models.md': '# Models\n\n| name | price |\n| --- | --- |\n| `a` | 1 |\n\n## Add one\n\n## Add one\n',
  'docs/operations/README.md': '# Operations\n\n[Backups](backup.md#keys), [models](../models.md#add-one)\n',
  'docs/operations/backup.md': '# Backups\n\n## Keys\n\n[Index](README.md), [alerts](alerts/disk.md)\n',
  'docs/operations/alerts/disk.md': '# Disk full\n\n[Backups](../backup.md), [runners](../../runners.md)\n',
  'docs/operations/notes.txt': 'Secret notes',
  'docs/examples/node.mjs': "console.log('<hello>')\n",
  'docs/pictures/job.png': 'not really a picture',
  'docs/decisions/pi.md': '# Secret decision\n',
  'docs/contributing/glossary.md': '# Glossary\n',
  'SECURITY.md': '# Security\n',
}
const { server } = serve(files)
const get = (url: string, from = server) => from.inject({ method: 'GET', url })

/** The HTML of one Markdown page. */
async function render(markdown: string, others: Record<string, string> = {}): Promise<string> {
  const { body } = await get('/docs/page', serve({ 'docs/page.md': markdown, ...others }).server)
  return body.slice(body.indexOf('<main'), body.indexOf('</main>'))
}

test('serves a page as HTML with the headers of the other pages', async () => {
  const { statusCode, headers, body } = await get('/docs/runners')
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({ ...pageHeaders, 'content-type': 'text/html; charset=utf-8' })
  expect(body).toContain('<title>Runners · Colophon</title>')
  expect(body).toContain('<h2 id="set-up-a-runner">')
  expect(body).toContain('<a href="/docs/runners" aria-current="page">Runners</a>')
})

test('links to other pages and to sections', async () => {
  const { body } = await get('/docs/runners')
  expect(body).toContain('<a href="/docs/models#add-one">models</a>')
  expect(body).toContain('<a href="#set-up-a-runner">this</a>')
})

test('serves the pages of subfolders, and the index of a subfolder at the path of the folder', async () => {
  const index = await get('/docs/operations')
  expect(index.statusCode).toBe(200)
  expect(index.headers).toMatchObject(pageHeaders)
  expect(index.body).toContain('<h1 id="operations">Operations</h1>')
  expect((await get('/docs/operations/backup')).body).toContain('<title>Backups · Colophon</title>')
  expect((await get('/docs/operations/alerts/disk')).body).toContain('<h1 id="disk-full">Disk full</h1>')
})

test('links between folders', async () => {
  const { body: index } = await get('/docs/operations')
  expect(index).toContain(
    '<a href="/docs/operations/backup#keys">Backups</a>, <a href="/docs/models#add-one">models</a>',
  )
  const { body: backup } = await get('/docs/operations/backup')
  expect(backup).toContain('<a href="/docs/operations">Index</a>, <a href="/docs/operations/alerts/disk">alerts</a>')
  const { body: alert } = await get('/docs/operations/alerts/disk')
  expect(alert).toContain('<a href="/docs/operations/backup">Backups</a>, <a href="/docs/runners">runners</a>')
})

test('lists the pages of a folder below its index, or below that of the folder that contains it', async () => {
  const { body } = await get('/docs/operations/backup')
  const nav = body.slice(body.indexOf('<nav'), body.indexOf('</nav>'))
  expect(nav).toMatch(
    new RegExp(
      [
        '<a href="/docs/operations">Operations</a><ul>',
        '<li><a href="/docs/operations/backup" aria-current="page">Backups</a></li>',
        '<li><a href="/docs/operations/alerts/disk">Disk full</a></li>',
        '</ul></li>',
        '<li><a href="/docs/runners">Runners</a></li>',
      ].join('\\n'),
    ),
  )
})

test('gives equal headings different IDs, as GitHub does', async () => {
  const { body } = await get('/docs/models')
  expect(body).toContain('<h2 id="add-one">')
  expect(body).toContain('<h2 id="add-one-1">')
})

test('uses no heading ID that the page layout has already', async () => {
  expect(await render('# Contents\n\n## Content\n')).toMatch(/<h1 id="contents-1">[\s\S]*<h2 id="content-1">/)
})

test('renders tables', async () => {
  const { body } = await get('/docs/models')
  expect(body).toContain('<th scope="col" role="columnheader">price</th>')
  expect(body).toContain('<td role="cell"><code>a</code></td>')
})

test('renders a table with an empty header row without headings', async () => {
  const page = await render('| | |\n| --- | --- |\n| memory | 2 GB |\n')
  expect(page).not.toContain('<th')
  expect(page).toContain('<td role="cell">memory</td>')
})

test.each(['/docs', '/docs/'])('lists all pages at %s if there is no README', async (url) => {
  const { statusCode, body } = await get(url)
  expect(statusCode).toBe(200)
  expect(body).toContain('<h1>Documentation</h1>')
  expect(body).toContain('<li><a href="/docs/models">Models</a></li>')
  expect(body).toContain('<li><a href="/docs/runners">Runners</a></li>')
  expect(body).not.toContain('decision')
})

test('serves README.md as the index, and only there', async () => {
  const indexed = serve({
    'docs/README.md': '# Start here\n\n[Runners](runners.md)\n',
    'docs/runners.md': '# Runners\n\n[Index](README.md)\n',
  }).server
  expect((await get('/docs', indexed)).body).toContain('<h1 id="start-here">Start here</h1>')
  expect((await get('/docs/runners', indexed)).body).toContain('<a href="/docs">Index</a>')
  expect((await get('/docs/README', indexed)).statusCode).toBe(404)
})

test('serves examples as text', async () => {
  const { statusCode, headers, body } = await get('/docs/examples/node.mjs')
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
  expect(body).toBe(files['docs/examples/node.mjs'])
})

test('serves pictures', async () => {
  const { statusCode, headers } = await get('/docs/pictures/job.png')
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' })
  expect(await render('# Page\n\n![A job](pictures/job.png)\n', { 'docs/pictures/job.png': 'x' })).toContain(
    '<img src="/docs/pictures/job.png" alt="A job">',
  )
})

test.each([
  '/docs/no-such-page',
  '/docs/runners.md',
  '/docs/runners/',
  '/docs/operations/',
  '/docs/operations/README',
  '/docs/operations/backup.md',
  '/docs/operations/alerts',
  '/docs/operations/notes.txt',
  '/docs/operations/no-such-page',
  '/docs/examples',
  '/docs/examples/no-such-file',
  '/docs/decisions/pi',
  '/docs/decisions/pi.md',
  '/docs/contributing/glossary',
  '/docs/__proto__',
  '/docs/%00',
  '/docs/<script>alert(1)</script>',
])('responds to %s with a 404 page that lists all pages', async (url) => {
  const { statusCode, headers, body } = await get(url)
  expect(statusCode).toBe(404)
  expect(headers).toMatchObject({ ...pageHeaders, 'content-type': 'text/html; charset=utf-8' })
  expect(body).toContain('<a href="/docs/runners">Runners</a>')
  expect(body).not.toContain('<script')
})

test.each([
  '/docs/../SECURITY.md',
  '/docs/../docs/decisions/pi.md',
  '/docs/examples/../../SECURITY.md',
  '/docs/examples/../decisions/pi.md',
  '/docs/operations/../../SECURITY.md',
  '/docs/operations/../decisions/pi',
  '/docs/operations/..%2fdecisions%2fpi',
  '/docs/operations/alerts/../../../SECURITY',
  '/docs/..%2fSECURITY.md',
  '/docs/%2e%2e/SECURITY.md',
  '/docs/%2e%2e%2fSECURITY.md',
  '/docs/examples/..%2f..%2fSECURITY.md',
  '/docs/..%5cSECURITY.md',
  '/docs/..%252fSECURITY.md',
  '/docs//etc/passwd',
  '/docs/%2fetc%2fpasswd',
])('does not leave the folder for %s', async (path) => {
  // Over a connection: inject would normalize the path.
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const response = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false }, async (incoming) => {
      resolve({ status: incoming.statusCode, body: (await incoming.toArray()).join('') })
    })
      .on('error', reject)
      .end()
  })
  expect(response.status).toBe(404)
  expect(response.body).not.toMatch(/# Security|Secret|root:/)
})

test('shows HTML in Markdown as text and omits comments', async () => {
  const page = await render(
    [
      '# Page <img src=x onerror=alert(1)>',
      '<script>alert(1)</script>',
      'Inline <b onclick="alert(1)">bold</b> and `<code>`.',
      '<!-- a comment -->',
      '- <iframe src="https://example.com"></iframe>',
      '| a |\n| --- |\n| <svg onload=alert(1)> |',
      '![" onerror="alert(1)](pictures/job.png)',
    ].join('\n\n'),
    { 'docs/pictures/job.png': 'x' },
  )
  expect(page).not.toMatch(/<(script|b|iframe|svg|img src=x)\b/)
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(page).toContain('<code>&lt;code&gt;</code>')
  expect(page).toContain('alt="&quot; onerror=&quot;alert(1)"')
  expect(page).not.toContain('a comment')
})

test.each([
  ['https://example.com/x', 'https://example.com/x'],
  ['/reference#errors', '/reference#errors'],
])('keeps the link to %s', async (target, href) => {
  expect(await render(`[text](${target})`)).toContain(`<a href="${href}">text</a>`)
})

test.each([
  '../SECURITY.md#reporting',
  '../deploy/README.md',
  'decisions/pi.md',
  'contributing/glossary.md',
  'no-such-page.md',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://[',
])('shows the link to %s as text', async (target) => {
  expect(await render(`See [text](${target}).`)).toContain('<p>See text.</p>')
})

test('links to the published source code if package.json names it', async () => {
  const repository = { url: 'git+https://github.com/acme/colophon.git' }
  const page = await render('[text](../SECURITY.md#reporting) [docs](decisions/pi.md)', {
    'package.json': JSON.stringify({ repository }),
  })
  expect(page).toContain('<a href="https://github.com/acme/colophon/blob/HEAD/SECURITY.md#reporting">text</a>')
  expect(page).toContain('<a href="https://github.com/acme/colophon/blob/HEAD/docs/decisions/pi.md">docs</a>')
})

test('logs a warning and serves no docs if there is no docs folder', async () => {
  const { server: withoutDocs, logged } = serve({})
  expect((await get('/docs', withoutDocs)).statusCode).toBe(404)
  expect(logged()).toContain('cannot read the docs folder: /docs is not served')
})

test('renders every page of this checkout with working links and without resources from other origins', async () => {
  const checkout = createHttpServer(http, createLog('test', { level: 'error' }))
  addDocsPages(checkout, createLog('test', { level: 'error' }))
  cleanups.push(() => checkout.close())
  const urls = [...new Set((await get('/docs', checkout)).body.match(/(?<=href=")\/docs\/[^"#]+/g))]
  expect(urls.length).toBeGreaterThan(5)
  const bodies = new Map<string, string>()
  for (const url of ['/docs', ...urls]) bodies.set(url, (await get(url, checkout)).body)
  for (const [url, body] of bodies) {
    expect(body).not.toMatch(/<(script|style|iframe)|(?:src|srcset)="(?!\/(?!\/))/)
    for (const [, path = '', anchor] of body.matchAll(/(?:href|src)="(\/docs[^"#]*)?(?:#([^"]*))?"/g)) {
      const target = bodies.get(path === '' ? url : path) ?? (await get(path, checkout)).body
      if (path !== '') expect((await get(path, checkout)).statusCode, `${url} links to ${path}`).toBe(200)
      if (anchor) expect(target.includes(`id="${anchor}"`), `${url} links to ${path}#${anchor}`).toBe(true)
    }
  }
})

test('the image contains the docs folder without the folders for contributors', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../../../..', path), 'utf8')
  expect(read('.dockerignore').split('\n')).toContain('!docs')
  for (const folder of foldersForContributors) expect(read('.dockerignore').split('\n')).toContain(`docs/${folder}`)
  expect(read('deploy/Dockerfile')).toContain('COPY docs docs')
})
