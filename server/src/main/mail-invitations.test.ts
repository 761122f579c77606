import { expect, test } from 'vitest'
import { createLog } from '../platform/log.ts'
import type { Mailer } from '../platform/mail.ts'
import { mailInvitations } from './mail-invitations.ts'

test('a long name of a project does not make a long subject', async () => {
  const sent: Parameters<Mailer['send']>[0][] = []
  const mailer: Mailer = { send: async (mail) => void sent.push(mail), close() {} }
  const mail = mailInvitations(mailer, createLog('test', { level: 'error' }))
  const of = { invitedBy: 'owner@example.com', url: 'https://docs.example.com/invitation#x' }
  expect(await mail('a@example.com', { ...of, projectName: 'Handbook' })).toBe(true)
  expect(await mail('a@example.com', { ...of, projectName: `Urgent: ${'x'.repeat(90)}` })).toBe(true)
  expect(sent.map(({ subject }) => subject)).toEqual([
    'Invitation to Handbook',
    `Invitation to Urgent: ${'x'.repeat(51)}…`,
  ])
})
