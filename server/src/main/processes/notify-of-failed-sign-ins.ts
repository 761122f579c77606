import type { NotifyOfFailedSignIns } from '../../people/sign-in-guard.ts'
import type { Log } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mailer.ts'

/** Does not wait for the email: the time of the response would tell whether the account exists. */
export function createFailedSignInsNotifier(
  mailer: Mailer | undefined,
  publicUrl: string,
  log: Log,
): NotifyOfFailedSignIns {
  return (to, count) => {
    const text = [
      `There were ${count} failed attempts to sign in to your Colophon account ${to}.`,
      'If it was you, ignore this email. If not, your account is still safe as long as nobody else knows your password: further ' +
        'attempts are slowed down. You can see your sessions, and change your password, on your account page:',
      `${publicUrl}/account`,
    ].join('\n\n')
    mailer
      ?.send({ to, subject: 'Failed sign-ins to your Colophon account', text })
      .catch((error: unknown) => log.warn({ error: String(error) }, 'email about failed sign-ins not sent'))
  }
}
