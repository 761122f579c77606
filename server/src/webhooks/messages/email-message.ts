/** Plain text, in which nothing is interpreted. Facts are single lines, so that none can look like another part of the email. */
import type { EventMessage } from './describe-event.ts'

export function composeEmailMessage({ headline, facts, links }: EventMessage): { subject: string; text: string } {
  const project = facts.find(({ label }) => label === 'Project')?.text
  return {
    subject: project === undefined ? headline : `${headline} (${project})`,
    text: [
      `${headline}.`,
      facts.map(({ label, text }) => `${label}: ${text}`).join('\n'),
      ...links.map(({ label, url }) => `${label}:\n${url}`),
      'You get this email because an owner of the project added your address as an endpoint of its webhooks.',
    ].join('\n\n'),
  }
}
