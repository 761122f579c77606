import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createHttpServer, type HttpServer } from './http-server.ts'
import { addJsonBodyParser } from './json-body.ts'
import { Problem } from './problem.ts'
import { enforceDeclaredAccess, registerRoute, sendResponse } from './register-route.ts'
import { createResponse } from './route.ts'
import { compileValidator } from './validation.ts'

const http = { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 }
const schemas = { body: Type.Object({ name: Type.String() }), responses: { 200: Type.Object({ name: Type.String() }) } }

let server: HttpServer
let calls: string[] = []
let isAllowed = true

beforeEach(() => {
  calls = []
  isAllowed = true
  server = createHttpServer(http, createLog('test', { level: 'error' }))
  addJsonBodyParser(server)
  server.setValidatorCompiler(compileValidator)
})
afterEach(() => server.close())

const check = async (call: string) => {
  calls.push(call)
  await sleep(20) // as long as a query takes, in which a small body arrives
  if (!isAllowed) throw new Problem('unauthenticated', 'No.')
  return 'Ada'
}

function addEcho() {
  const declared = enforceDeclaredAccess<'caller'>(server)
  const route = {
    method: 'POST',
    url: '/echo',
    access: 'caller',
    schemas,
    handle: async (request: { body: { name: string } }) => createResponse(200, request.body),
  } as const
  registerRoute(server, route, {
    admit: () => check('admit'),
    readmit: () => check('readmit'),
    async respond(request, reply, enter) {
      calls.push(`respond to ${await enter()}`)
      return sendResponse(reply, await route.handle({ body: request.body as { name: string } }))
    },
  })
  return declared
}

test('a route that does not declare its access cannot be registered', () => {
  enforceDeclaredAccess(server)
  expect(() => server.get('/undeclared', async () => 'secret')).toThrow('GET /undeclared does not declare its access')
})

test('lists the declared routes', () => {
  expect(addEcho()).toEqual([{ method: 'POST', url: '/echo', access: 'caller' }])
})

test('checks the caller, validates the request, responds', async () => {
  addEcho()
  const response = await server.inject({ method: 'POST', url: '/echo', payload: { name: 'x' } })
  expect([response.statusCode, response.json()]).toEqual([200, { name: 'x' }])
  expect(calls.at(-1)).toBe('respond to Ada')
  const invalid = await server.inject({ method: 'POST', url: '/echo', payload: { name: 1 } })
  expect(invalid.json()).toMatchObject({ status: 400, code: 'invalid_request' })
})

test('a rejected caller learns nothing about the body', async () => {
  addEcho()
  isAllowed = false
  const response = await server.inject({ method: 'POST', url: '/echo', payload: { name: 1 } })
  expect(response.json()).toMatchObject({ status: 401 })
  expect(calls).toEqual(['admit'])
})

const body = '{"name":"x"}'
const head = `POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`

async function openConnection() {
  await server.listen(http.listen)
  const { port } = server.server.address() as AddressInfo
  return connect(port, http.listen.host)
}

test('a caller whose whole request has arrived is checked once', async () => {
  addEcho()
  const socket = await openConnection()
  socket.write(head + body)
  expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1\.1 200 /)
  expect(calls).toEqual(['admit', 'respond to Ada'])
})

test('a caller whose body takes a while to arrive is checked again', async () => {
  addEcho()
  const socket = await openConnection()
  socket.write(head)
  await sleep(200)
  expect(calls).toEqual(['admit'])
  isAllowed = false
  socket.write(body)
  expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1\.1 401 /)
  expect(calls).toEqual(['admit', 'readmit'])
})
