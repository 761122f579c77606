import { expect, onTestFinished, test, vi } from 'vitest'
import type { SecurityContactConfig } from '../../platform/config.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { createLog } from '../../platform/log.ts'
import { addSecurityTxt } from './security-txt.ts'

const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }

function get(publicUrl: string, securityContact: SecurityContactConfig | undefined) {
  const server = createHttpServer(http, createLog('test', { level: 'error' }))
  onTestFinished(() => server.close())
  addSecurityTxt(server, { publicUrl, securityContact })
  return server.inject({ method: 'GET', url: '/.well-known/security.txt' })
}

const contacts = ['mailto:security@example.com', 'https://example.com/report']

test('has the contacts in their order, and expires in less than a year', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-16T15:04:05Z'), toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const response = await get('https://docs.example.com/colophon', {
    contacts,
    policyUrl: 'https://example.com/security-policy',
  })
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(response.body).toBe(
    [
      'Contact: mailto:security@example.com',
      'Contact: https://example.com/report',
      'Expires: 2027-11-15T00:00:00.000Z',
      'Canonical: https://docs.example.com/.well-known/security.txt',
      'Policy: https://example.com/security-policy',
      '',
    ].join('\n'),
  )
})

test('leaves out what is unknown', async () => {
  const { body } = await get('http://localhost:8080', { contacts: ['tel:+1-201-555-0123'], policyUrl: undefined })
  expect(body).toMatch(/^Contact: tel:\+1-201-555-0123\nExpires: [\d-]+T00:00:00\.000Z\n$/)
})

test('does not exist without a contact', async () => {
  const response = await get('https://docs.example.com', undefined)
  expect(response.statusCode).toBe(404)
  expect(response.json()).toMatchObject({ code: 'not_found', detail: 'This instance has no security contact.' })
})
