import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import { createMailer } from './mailer.ts'

test('sends an email unchanged, without header or recipient injection', async () => {
  const received: { to: string[]; content: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      void text(stream).then((content) => {
        received.push({ to: envelope.rcptTo.map(({ address }) => address), content })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'Colophon <docs@example.com>' })
  await mailer.send({ to: 'all:a@evil.example,b@evil.example;', subject: 'x', text: 'x' }).catch(() => {})
  expect(received.flatMap(({ to }) => to)).not.toContain('b@evil.example')
  received.length = 0
  await mailer.send({ to: 'writer@example.com', subject: 'Invitation to A\r\nBcc: evil@example.com', text: 'Open it.' })
  mailer.close()
  await new Promise<void>((resolve) => server.close(resolve))
  expect(received).toMatchObject([{ to: ['writer@example.com'], content: expect.stringContaining('Open it.') }])
  expect(received[0]?.content).not.toMatch(/^Bcc:/m)
})

test('sends nothing without TLS, except to the same machine or if the URL says so', async () => {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      void text(stream).then((content) => {
        received.push(content)
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const send = async (smtpUrl: string) => {
    const mailer = createMailer({ smtpUrl, from: 'docs@example.com' })
    await mailer.send({ to: 'writer@example.com', subject: 'x', text: 'x' }).finally(() => mailer.close())
  }
  // This address leads to the same machine as well, but does not look like it.
  await expect(send(`smtp://0.0.0.0:${port}`)).rejects.toThrow('TLS')
  expect(received).toEqual([])
  await send(`smtp://0.0.0.0:${port}?ignoreTLS=true`)
  await send(`smtp://127.0.0.1:${port}`)
  expect(received).toHaveLength(2)
  await new Promise<void>((resolve) => server.close(resolve))
})

test('throws when the SMTP server cannot be reached', async () => {
  const mailer = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'docs@example.com' })
  await expect(mailer.send({ to: 'writer@example.com', subject: 'x', text: 'x' })).rejects.toThrow()
  mailer.close()
})
