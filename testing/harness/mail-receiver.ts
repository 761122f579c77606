/** A real SMTP server that keeps what it receives. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  to: string
  /** Header and body, with quoted-printable line ends removed. */
  text: string
}

export interface MailReceiver {
  smtpUrl: string
  received: ReceivedMail[]
  /** Rejects the next email. */
  rejectNext(): void
  stop(): Promise<void>
}

export async function startReceivingMail(): Promise<MailReceiver> {
  const received: ReceivedMail[] = []
  let rejectsNext = false
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (rejectsNext) {
          rejectsNext = false
          return done(new Error('mailbox unavailable'))
        }
        const to = session.envelope.rcptTo[0]?.address ?? ''
        received.push({ to, text: decodeQuotedPrintable(Buffer.concat(chunks).toString()) })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    received,
    rejectNext: () => {
      rejectsNext = true
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const decodeQuotedPrintable = (text: string) =>
  text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
