/**
 * A message for an incoming webhook of Slack. Text of others is in `plain_text` objects, in which Slack interprets neither formatting nor
 * mentions. `text` is shown in notifications and is always interpreted, so there it is escaped.
 */
import type { EventMessage } from './describe-event.ts'

export function composeSlackMessage({ headline, facts, links }: EventMessage): object {
  const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false })
  const subject = facts.find(({ label }) => label === 'Job' || label === 'Runner')?.text
  return {
    text: escapeMrkdwn(subject === undefined ? headline : `${headline}: ${subject}`),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'section', text: plainText(headline) },
      { type: 'section', fields: facts.map(({ label, text }) => plainText(`${label}: ${text}`)) },
      ...(links.length === 0 ? [] : [{ type: 'context', elements: links.map(toLink) }]),
    ],
  }
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping: mentions and links are always inside < and >. */
const escapeMrkdwn = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const toLink = ({ label, url }: { label: string; url: string }) => ({
  type: 'mrkdwn',
  text: `<${escapeMrkdwn(url).replaceAll('|', '%7C')}|${escapeMrkdwn(label)}>`,
})
