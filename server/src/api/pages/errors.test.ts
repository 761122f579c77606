import { afterAll, expect, test } from 'vitest'
import { turnErrorTexts } from '../../jobs/turn-errors.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { problemDefinitions } from '../../platform/http/problem.ts'
import { createLog } from '../../platform/log.ts'
import { addErrorPages } from './errors.ts'
import { pageHeaders } from './page-headers.ts'

const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
const server = createHttpServer(http, createLog('test', { level: 'error' }))
addErrorPages(server)
afterAll(() => server.close())

const get = (url: string) => server.inject({ method: 'GET', url })

/** The visible text of a page. */
const textOf = (page: string) =>
  page
    .replace(/<[^>]+>/g, '')
    .replace(/&(quot|#39);/g, (_, name) => (name === 'quot' ? '"' : "'"))
    .replace(/\s+/g, ' ')

const plain = (markdown: string) => markdown.replaceAll('`', '')

test.each(Object.entries(problemDefinitions))(
  'explains the API error %s',
  async (code, { status, title, meaning, action }) => {
    const response = await get(`/errors/${code}`)
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({ ...pageHeaders, 'content-type': 'text/html; charset=utf-8' })
    const text = textOf(response.body)
    expect(text).toContain(`Status ${status}`)
    expect(text).toContain(title)
    expect(text).toContain(plain(meaning))
    expect(text).toContain(plain(action))
  },
)

test.each(Object.entries(turnErrorTexts))('explains the job error %s', async (code, { meaning, action }) => {
  const response = await get(`/errors/${code}`)
  expect(response.statusCode).toBe(200)
  const text = textOf(response.body)
  expect(text).toContain('In a job')
  expect(text).toContain(plain(meaning))
  expect(text).toContain(plain(action))
})

test('explains both meanings of a code that API responses and jobs share', async () => {
  const { body } = await get('/errors/project_not_ready')
  expect(body).toContain('In an API response')
  expect(body).toContain('In a job')
})

const allCodes = [...new Set([...Object.keys(problemDefinitions), ...Object.keys(turnErrorTexts)])]

test('lists all codes with links to their pages', async () => {
  const { statusCode, headers, body } = await get('/errors')
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject(pageHeaders)
  for (const code of allCodes) expect(body).toContain(`<a href="/errors/${code}">`)
})

test('an unknown code is a 404 page that lists all codes', async () => {
  const { statusCode, headers, body } = await get('/errors/no_such_code')
  expect(statusCode).toBe(404)
  expect(headers).toMatchObject({ ...pageHeaders, 'content-type': 'text/html; charset=utf-8' })
  expect(textOf(body)).toContain('There is no error code no_such_code.')
  for (const code of allCodes) expect(body).toContain(`<a href="/errors/${code}">`)
})

test('escapes an unknown code', async () => {
  const { statusCode, body } = await get(`/errors/${encodeURIComponent('<script>alert(1)</script>')}`)
  expect(statusCode).toBe(404)
  expect(body).not.toContain('<script')
})

test('requests nothing from other origins', async () => {
  for (const url of ['/errors', '/errors/not_found', '/errors/no_such_code']) {
    const { body } = await get(url)
    for (const [, target = ''] of body.matchAll(/(?:href|src)="([^"]*)"/g)) expect(target).toMatch(/^(#|\/(?!\/))/)
    expect(body).not.toMatch(/<(script|style|img|iframe)/)
  }
})
