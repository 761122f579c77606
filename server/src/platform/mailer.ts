import nodemailer from 'nodemailer'
import type { EmailConfig } from './config.ts'

export interface Mailer {
  /** Throws when the email could not be sent. */
  send(email: { to: string; subject: string; text: string }): Promise<void>
  close(): void
}

const timeoutMs = 10_000 // the API request that sends the email waits for it

export function createMailer({ smtpUrl, from }: EmailConfig): Mailer {
  const transport = nodemailer.createTransport({
    url: smtpUrl,
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
