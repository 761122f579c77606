/**
 * An Adaptive Card for a webhook of a workflow in Microsoft Teams. Text of others is in a `TextRun`, which unlike a `TextBlock` has no
 * Markdown.
 */
import type { EventMessage } from './describe-event.ts'

export const composeTeamsMessage = ({ headline, facts, links }: EventMessage): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          richText([{ type: 'TextRun', text: headline, weight: 'Bolder' }]),
          ...facts.map(({ label, text }) =>
            richText([
              { type: 'TextRun', text: `${label}: `, isSubtle: true },
              { type: 'TextRun', text: withoutFunctions(text) },
            ]),
          ),
        ],
        actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
      },
    },
  ],
})

const richText = (inlines: readonly object[]) => ({ type: 'RichTextBlock', inlines })

/** Cards replace {{DATE(…)}} and {{TIME(…)}} in any text. */
const withoutFunctions = (text: string) => text.replaceAll('{{', '{ {')
