import type { MailInvitation } from '../api/people/create-invitation.ts'
import type { Log } from '../platform/log.ts'
import type { Mailer } from '../platform/mail.ts'

const maxSubjectCharacters = 60

/** An invitation is made even where its mail cannot go out: the link is in the answer as well. */
export function mailInvitations(mailer: Mailer | undefined, log: Log): MailInvitation {
  return async (to, { projectName, invitedBy, url }) => {
    if (!mailer) return false
    const text = [
      `${invitedBy} invites you to the project ${projectName} on Colophon.`,
      `Open this link within seven days:`,
      url,
      'If you did not expect this, do nothing.',
    ].join('\n\n')
    try {
      await mailer.send({ to, subject: `Invitation to ${shortened(projectName)}`, text })
      return true
    } catch (error) {
      log.warn({ error: String(error) }, 'an invitation could not be mailed')
      return false
    }
  }
}

const shortened = (name: string) =>
  name.length > maxSubjectCharacters ? `${name.slice(0, maxSubjectCharacters - 1).toWellFormed()}…` : name
