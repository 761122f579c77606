/** Where email can be sent, the link of an invitation goes by email only, and proves the address. */
import { afterAll, expect, inject, test } from 'vitest'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { startReceivingMail } from '../../../../testing/harness/mail-receiver.ts'
import { createSoftwareAuthenticator } from '../../../../testing/harness/software-authenticator.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { totpCode } from '../../../../testing/harness/totp.ts'

const mail = await startReceivingMail()
const api = await startTestApi(inject('services'), 'api emailed invitations', {
  COLOPHON_SMTP_URL: mail.smtpUrl,
  COLOPHON_MAIL_FROM: 'Colophon <colophon@example.com>',
})
afterAll(async () => {
  await api.drop()
  await mail.stop()
})
const origin = api.url.replace('127.0.0.1', 'localhost')
const browser = () => createBrowserClient(api.url, origin)
const password = 'correct horse battery staple'
const emailedToken = () => /invitation#([\w-]{43})/.exec(mail.received.at(-1)?.text ?? '')?.[1] ?? ''

test('the response does not contain the link, and too many emails are rejected', async () => {
  const { projectId, client } = await api.createProject('Handbook')
  const invitee = { email: 'new@example.com', role: 'editor' } as const
  expect(await client.invitations.create(projectId, invitee)).toMatchObject({ url: null, emailed: true })
  expect(mail.received).toMatchObject([{ to: 'new@example.com' }])
  const token = emailedToken()
  await expect(client.invitations.create(projectId, invitee)).rejects.toMatchObject({ code: 'rate_limited' })
  const person = browser()
  expect(await person.client.invitations.lookUp({ token }), 'the first link still works').toMatchObject({
    hasAccount: false,
    canClaim: false,
  })
  await person.client.invitations.accept({ token, name: 'New', password })
  const { rows } = await api.pool.query(`SELECT email_proven_at FROM person WHERE email = 'new@example.com'`)
  expect(rows[0].email_proven_at).not.toBeNull()
})

test('an email that cannot be sent withdraws the invitation, and can be sent again', async () => {
  const { projectId, client } = await api.createProject()
  const invitee = { email: 'later@example.com', role: 'viewer' } as const
  mail.rejectNext()
  await expect(client.invitations.create(projectId, invitee)).rejects.toMatchObject({ code: 'unavailable' })
  expect((await client.invitations.list(projectId)).invitations).toEqual([])
  expect(await client.invitations.create(projectId, invitee)).toMatchObject({ emailed: true })
})

test('who has the mailbox takes over an account whose address nobody has proved, once', async () => {
  const email = 'victim@example.com'
  const squatted = await api.createProject()
  const { token: leaked } = await api.stores.invitations.create(
    squatted.projectId,
    { email, role: 'viewer' },
    { kind: 'operator' },
  )
  const squatter = browser()
  const squatterPassword = 'a sentence of the squatter'
  await squatter.client.invitations.accept({ token: leaked, name: 'Squatter', password: squatterPassword })
  const { uri } = await squatter.client.session.createAuthenticator({ password: squatterPassword })
  await squatter.client.session.confirmAuthenticator({ code: totpCode(uri) })
  const passkey = createSoftwareAuthenticator()
  const credential = passkey.create(await squatter.client.session.startPasskey(), { origin })
  await squatter.client.session.addPasskey({ name: 'Squatter', credential })

  const { projectId, client } = await api.createProject('Handbook')
  await client.invitations.create(projectId, { email, role: 'owner' })
  const token = emailedToken()
  const victim = browser()
  expect(await victim.client.invitations.lookUp({ token })).toMatchObject({ hasAccount: true, canClaim: true })
  expect(await victim.client.invitations.accept({ token, name: 'Victim', password })).toMatchObject({
    person: { email, name: 'Victim', hasSecondFactor: false },
  })
  expect(await victim.client.projects.get(projectId)).toMatchObject({ id: projectId })
  expect((await squatter.client.session.get()).person).toBeNull()
  await expect(squatter.client.session.signIn({ email, password: squatterPassword })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  const signed = passkey.get(await squatter.client.session.startPasskeySignIn(), { origin })
  await expect(squatter.client.session.signInWithPasskey(signed)).rejects.toMatchObject({ code: 'unauthenticated' })

  const other = await api.createProject()
  await other.client.invitations.create(other.projectId, { email, role: 'owner' })
  const again = { token: emailedToken(), name: 'Again', password }
  expect(await browser().client.invitations.lookUp({ token: again.token })).toMatchObject({ canClaim: false })
  await expect(browser().client.invitations.accept(again)).rejects.toMatchObject({ code: 'invalid_request' })
  await victim.client.invitations.accept({ token: again.token })
})

test('a link that was not only emailed takes over nothing', async () => {
  const email = 'careful@example.com'
  const { projectId } = await api.createProject()
  const create = (id: typeof projectId) =>
    api.stores.invitations.create(id, { email, role: 'viewer' }, { kind: 'operator' })
  const { token } = await create(projectId)
  await browser().client.invitations.accept({ token, name: 'Careful', password })
  const { token: copied } = await create((await api.createProject()).projectId)
  const thief = { token: copied, name: 'Thief', password }
  await expect(browser().client.invitations.accept(thief)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('the account of an operator, and of a disabled person, cannot be taken over', async () => {
  const operator = await api.signInOperator()
  const disabled = await api.signIn()
  const accounts = api.stores.accounts
  await accounts.disable(await accounts.findIdByEmail(disabled.email), { kind: 'operator' })
  for (const { email } of [operator, disabled]) {
    const { projectId, client } = await api.createProject()
    await client.invitations.create(projectId, { email, role: 'viewer' })
    const token = emailedToken()
    expect(await browser().client.invitations.lookUp({ token })).toMatchObject({ hasAccount: true, canClaim: false })
    const thief = { token, name: 'Thief', password }
    await expect(browser().client.invitations.accept(thief)).rejects.toMatchObject({ code: 'invalid_request' })
  }
})
