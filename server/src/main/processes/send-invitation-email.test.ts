import { expect, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mailer.ts'
import { createInvitationEmailSender } from './send-invitation-email.ts'

test('does not let names become links', async () => {
  const sent: Parameters<Mailer['send']>[0][] = []
  const mailer: Mailer = { send: async (email) => void sent.push(email), close() {} }
  const sendInvitationEmail = createInvitationEmailSender(mailer, createLog('test', { level: 'error' }))
  await sendInvitationEmail('a@example.com', {
    projectName: 'Docs 2.0, first confirm at https://evil.example/login',
    invitedBy: 'the API key www.evil.example',
    url: 'https://docs.example.com/invitation#x',
  })
  const [{ subject, text } = { subject: '', text: '' }] = sent
  expect(`${subject}\n${text}`).not.toMatch(/evil\.example|https:\/\/(?!docs\.example\.com)/)
  expect(text).toContain('Docs 2.0, first confirm at https: //evil[.]example/login')
  expect(text).toContain('https://docs.example.com/invitation#x')
})

test('shortens a long project name in the subject', async () => {
  const sent: Parameters<Mailer['send']>[0][] = []
  const mailer: Mailer = { send: async (email) => void sent.push(email), close() {} }
  const sendInvitationEmail = createInvitationEmailSender(mailer, createLog('test', { level: 'error' }))
  const invitation = { invitedBy: 'owner@example.com', url: 'https://docs.example.com/invitation#x' }
  expect(await sendInvitationEmail('a@example.com', { ...invitation, projectName: 'Handbook' })).toBe(true)
  expect(await sendInvitationEmail('a@example.com', { ...invitation, projectName: `Urgent: ${'x'.repeat(90)}` })).toBe(
    true,
  )
  expect(sent.map(({ subject }) => subject)).toEqual([
    'Invitation to Handbook',
    `Invitation to Urgent: ${'x'.repeat(51)}…`,
  ])
})
