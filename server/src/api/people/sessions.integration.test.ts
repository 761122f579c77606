/** The list of a person's sessions, and sessions that end because nobody uses them. */
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api sessions', {
  COLOPHON_TRUSTED_PROXIES: '127.0.0.1/32',
  COLOPHON_SESSION_IDLE_HOURS: '2',
})
afterAll(() => api.drop())
const origin = api.url.replace('127.0.0.1', 'localhost')
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Signs in with the headers of another browser. */
async function signInElsewhere(login: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${api.url}/v2/session`, {
    method: 'POST',
    headers: {
      origin,
      'content-type': 'application/json',
      'user-agent': firefox,
      'x-forwarded-for': '203.0.113.77',
    },
    body: JSON.stringify(login),
  })
  expect(response.status).toBe(200)
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
}

const personOf = async (cookie: string) => {
  const response = await fetch(`${api.url}/v2/session`, { headers: { cookie } })
  return ((await response.json()) as { person: object | null }).person
}

test('a person sees their sessions with device, coarse network and last use, and ends one of them', async () => {
  const person = await api.signIn()
  const elsewhere = await signInElsewhere(person.login)
  const { sessions } = await person.client.session.list()
  expect(sessions).toHaveLength(2)
  const other = sessions.find(({ isCurrent }) => !isCurrent)
  expect(other).toMatchObject({ device: 'Firefox on Linux', network: '203.0.113.0/24' })
  expect(Date.now() - new Date(other?.lastUsedAt ?? 0).getTime()).toBeLessThan(60_000)

  const stranger = await api.signIn()
  await stranger.client.session.end(other?.id ?? '')
  expect(await personOf(elsewhere), 'nobody ends the sessions of others').not.toBeNull()

  const makeOld = (age: string) =>
    api.pool.query(`UPDATE person_session SET created_at = now() - $1::interval WHERE user_agent <> $2`, [age, firefox])
  await makeOld('11 minutes')
  const late = { code: 'reauthentication_required' }
  await expect(person.client.session.end(other?.id ?? ''), 'a stolen browser ends none').rejects.toMatchObject(late)
  await expect(person.client.session.endOthers()).rejects.toMatchObject(late)
  await makeOld('0')

  const left = await person.client.session.end(other?.id ?? '')
  expect(left.sessions).toMatchObject([{ isCurrent: true }])
  expect(await personOf(elsewhere)).toBeNull()
})

test('a session that is not used for the configured time ends, and each use extends it', async () => {
  const { login, client } = await api.signIn()
  const cookie = await signInElsewhere(login)
  const makeIdle = (minutes: number) =>
    api.pool.query(`UPDATE person_session SET last_used_at = now() - make_interval(mins => $1) WHERE user_agent = $2`, [
      minutes,
      firefox,
    ])
  await makeIdle(119)
  expect(await personOf(cookie)).not.toBeNull()
  expect((await client.session.list()).sessions.every(({ lastUsedAt }) => isRecent(lastUsedAt))).toBe(true)
  await makeIdle(121)
  expect((await client.session.list()).sessions).toHaveLength(1)
  expect(await personOf(cookie)).toBeNull()
  await makeIdle(0)
  expect(await personOf(cookie), 'an ended session stays ended').toBeNull()
})

const isRecent = (at: string) => Date.now() - new Date(at).getTime() < 60_000
