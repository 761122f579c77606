import type { SendInvitationEmail } from '../../api/people/invitation-routes.ts'
import type { Log } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mailer.ts'
import { shortenForSubject } from './shorten-for-subject.ts'
import { withoutLinks } from './without-links.ts'

const isEmailAddress = (text: string) => /^[^\s/:]+@[^\s/:]+$/.test(text)

/** The returned function resolves to false if the email could not be sent. */
export function createInvitationEmailSender(mailer: Mailer | undefined, log: Log): SendInvitationEmail {
  return async (to, invitation) => {
    if (!mailer) return false
    const { url } = invitation
    const projectName = withoutLinks(invitation.projectName)
    // The address of a person stays as it is: it tells the reader who invites them.
    const invitedBy = isEmailAddress(invitation.invitedBy) ? invitation.invitedBy : withoutLinks(invitation.invitedBy)
    const text = [
      `${invitedBy} invites you to the project ${projectName} on Colophon.`,
      'Open this link within 7 days to accept:',
      url,
      'If you did not expect this invitation, ignore this email.',
    ].join('\n\n')
    try {
      await mailer.send({ to, subject: `Invitation to ${shortenForSubject(projectName)}`, text })
      return true
    } catch (error) {
      log.warn({ error: String(error) }, 'invitation email not sent')
      return false
    }
  }
}
