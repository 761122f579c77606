import nodemailer from 'nodemailer'
import type { EmailConfig } from './config.ts'
import { isLoopback } from './is-loopback.ts'

export interface Mailer {
  /** Throws when the email could not be sent. */
  send(email: { to: string; subject: string; text: string }): Promise<void>
  close(): void
}

const timeoutMs = 10_000 // the API request that sends the email waits for it

export function createMailer({ smtpUrl, from }: EmailConfig): Mailer {
  const { hostname, searchParams } = new URL(smtpUrl)
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    // Otherwise an attacker on the way, who removes STARTTLS from what the server offers, would read the links of invitations.
    requireTLS: !isLoopback(hostname) && searchParams.get('ignoreTLS') !== 'true',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    // As an object: nodemailer would parse lists, groups and names from text.
    send: async ({ to, ...email }) =>
      void (await transport.sendMail({ from, ...email, to: { name: '', address: to } })),
    close: () => transport.close(),
  }
}
