/** Wrong passwords: delays that hold on all replicas, and what the person learns of them. */
import { afterAll, expect, inject, test } from 'vitest'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { startReceivingMail } from '../../../../testing/harness/mail-receiver.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { freePort } from '../../../../testing/services/free-port.ts'
import { startApi } from '../../main/processes/api.ts'
import { loadApiConfig } from '../../platform/config.ts'

const mail = await startReceivingMail()
const settings = {
  COLOPHON_TRUSTED_PROXIES: '127.0.0.1/32',
  COLOPHON_SMTP_URL: mail.smtpUrl,
  COLOPHON_MAIL_FROM: 'Colophon <colophon@example.com>',
}
const api = await startTestApi(inject('services'), 'api sign in guard', settings)
const replicaListen = `127.0.0.1:${await freePort()}`
const replica = await startApi(
  loadApiConfig({ ...api.environment, ...settings, COLOPHON_LISTEN: replicaListen, COLOPHON_LOG_LEVEL: 'error' }),
)
afterAll(async () => {
  await replica.stop()
  await api.drop()
  await mail.stop()
})
const origin = api.url.replace('127.0.0.1', 'localhost')

interface Attempt {
  status: number
  retryAfterSeconds: number
}

async function signIn(
  email: string,
  from: string,
  { password = 'a wrong guess', url = api.url } = {},
): Promise<Attempt> {
  const response = await fetch(`${url}/v2/session`, {
    method: 'POST',
    headers: {
      origin: url.replace('127.0.0.1', 'localhost'),
      'content-type': 'application/json',
      'x-forwarded-for': from,
    },
    body: JSON.stringify({ email, password }),
  })
  return { status: response.status, retryAfterSeconds: Number(response.headers.get('retry-after')) }
}

const statusesOf = (attempts: readonly Attempt[]) => attempts.map(({ status }) => status).sort()

/** As if the delays were over. */
const waitOutDelays = () => api.pool.query('UPDATE sign_in_counter SET next_attempt_at = now()')
const readLongestDelaySeconds = async () => {
  const { rows } = await api.pool.query(
    'SELECT round(max(extract(epoch FROM next_attempt_at - last_failed_at)))::int AS seconds FROM sign_in_counter',
  )
  return rows[0].seconds as number
}
const newPerson = async () => (await api.signIn()).login

test('wrong passwords for one account from one network have to wait longer and longer, on all replicas', async () => {
  const { email } = await newPerson()
  const attempts = await Promise.all(Array.from({ length: 8 }, () => signIn(email, '192.0.2.1')))
  expect(statusesOf(attempts)).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  await api.pool.query(`UPDATE sign_in_counter SET next_attempt_at = now() + interval '1 minute'`) // the machine may be slow
  const elsewhere = await signIn(email, '192.0.2.1', { url: `http://${replicaListen}` })
  expect(elsewhere.status).toBe(429)
  const delays: number[] = []
  for (let index = 0; index < 12; index++) {
    await waitOutDelays()
    expect((await signIn(email, '192.0.2.1')).status).toBe(401)
    delays.push(await readLongestDelaySeconds())
  }
  expect(delays.slice(0, 4)).toEqual([2, 4, 8, 16])
  expect(delays.at(-1)).toBe(900)
})

test('a correct password is accepted from a known network while strangers guess, and elsewhere after at most a minute', async () => {
  const login = await newPerson()
  expect((await signIn(login.email, '203.0.113.7', login)).status).toBe(200)
  for (let index = 0; index < 30; index++) {
    await waitOutDelays()
    await signIn(login.email, `198.51.${index}.1`)
  }
  const stranger = await signIn(login.email, '192.0.2.99', login)
  expect(stranger.status).toBe(429)
  expect(stranger.retryAfterSeconds).toBeLessThanOrEqual(60)
  expect((await signIn(login.email, '203.0.113.200', login)).status).toBe(200)
  await waitOutDelays()
  expect((await signIn(login.email, '192.0.2.99', login)).status).toBe(200)
})

test('many accounts from one network have to wait, and each /64 network of IPv6 counts once', async () => {
  for (let index = 0; index < 36; index++) {
    await waitOutDelays()
    await signIn(`${crypto.randomUUID()}@example.com`, `2001:db8::${(index + 1).toString(16)}`)
  }
  expect((await signIn('another@example.com', '2001:db8::ffff')).status).toBe(429)
  expect((await signIn('someone@example.com', '2001:db8:0:1::1')).status).toBe(401)
})

test('failed sign-ins are reported to the person, once by email and on the dashboard until they dismiss it', async () => {
  const login = await newPerson()
  mail.received.length = 0
  for (let index = 0; index < 7; index++) {
    await waitOutDelays()
    await signIn(login.email, '192.0.2.50')
  }
  await expect
    .poll(() => mail.received)
    .toMatchObject([{ to: login.email, text: expect.stringContaining('There were 5 failed attempts') }])
  const { client } = createBrowserClient(api.url, origin)
  expect(await client.session.signIn(login)).toMatchObject({ failedSignIns: { count: 7 } })
  expect(await client.session.dismissFailedSignIns()).toMatchObject({ failedSignIns: null })
  const other = createBrowserClient(api.url, origin)
  expect(await other.client.session.signIn(await newPerson())).toMatchObject({ failedSignIns: null })
})

test('correct passwords of many people at the same time, from one network, are all accepted', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, newPerson))
  await api.pool.query('DELETE FROM person_network')
  for (let round = 0; round < 3; round++) {
    const attempts = await Promise.all(people.map((login) => signIn(login.email, '192.0.2.50', login)))
    expect(statusesOf(attempts)).toEqual(people.map(() => 200))
    await api.pool.query('DELETE FROM person_network')
  }
})
