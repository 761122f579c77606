import nodemailer from 'nodemailer'
import type { MailConfig } from './config.ts'

export interface Mailer {
  /** Throws when the mail did not go out. */
  send(mail: { to: string; subject: string; text: string }): Promise<void>
  close(): void
}

const withinMs = 10_000 // whoever waits for the answer waits for the mail too

export function createMailer({ smtpUrl, from }: MailConfig): Mailer {
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    connectionTimeout: withinMs,
    greetingTimeout: withinMs,
    socketTimeout: withinMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    // As an object: nodemailer would read lists, groups and names out of text.
    send: async ({ to, ...mail }) => void (await transport.sendMail({ from, ...mail, to: { name: '', address: to } })),
    close: () => transport.close(),
  }
}
