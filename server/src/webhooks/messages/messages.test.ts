import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WebhookEvent } from '../endpoint.ts'
import { describeEvent, toPlainLine } from './describe-event.ts'
import { composeEmailMessage } from './email-message.ts'
import { composeSlackMessage } from './slack-message.ts'
import { composeTeamsMessage } from './teams-message.ts'

const context = { projectName: 'Handbook', publicUrl: 'https://colophon.example.com' }

const jobEvent = (title: string, message: string | null = null): WebhookEvent => ({
  id: 'evt_01m7ej8w2wf5k7n9p1r3t5v7xz',
  type: message === null ? 'job.completed' : 'job.failed',
  at: new Date(0),
  data: {
    projectId: 'prj_1',
    job: {
      id: 'job_1',
      outcome: 'pull_request',
      title,
      repository: 'docs/site',
      error: message === null ? null : { code: 'agent_failed', message },
      pullRequest: { number: 7, url: 'https://git.example.com/docs/site/pulls/7' },
    },
  },
})

const hostileTitles = [
  '<!channel> <@U123> <https://evil.example|Open the job>',
  '*bold* _italic_ `code` ~gone~ &lt;!here&gt;',
  '[Open the job](https://evil.example) **bold** ![](https://evil.example/pixel.png)',
  '<at>everyone</at> {{DATE(2026-01-01T00:00:00Z)}} {title}',
  'Fine\r\nBcc: victim@example.com\r\n\r\nOpen the job:\nhttps://evil.example',
  'safe\u202egnp.exe \u2066x\u2069 a\u200bb \ufeff \u2028 next \u0000 \u001b[31m',
  '"}]},{"type":"section","text":{"type":"mrkdwn","text":"<!here>"}}',
]

test('says what happened to a job', () => {
  expect(describeEvent(jobEvent('Explain the proxy'), context)).toEqual({
    headline: 'A job was completed',
    facts: [
      { label: 'Project', text: 'Handbook' },
      { label: 'Job', text: 'Explain the proxy' },
      { label: 'Repository', text: 'docs/site' },
      { label: 'Outcome', text: 'pull request' },
    ],
    links: [
      { label: 'Open the job', url: 'https://colophon.example.com/projects/prj_1/jobs/job_1' },
      { label: 'Open pull request 7', url: 'https://git.example.com/docs/site/pulls/7' },
    ],
  })
})

test.each([
  [
    'budget.threshold',
    { budget: { month: '2026-11', percent: 80, unit: 'usd', used: 8.4, max: 10 } },
    '80% of the model budget of this month is used',
    '$8.40 of $10.00',
  ],
  [
    'runner.offline',
    { runner: { name: 'build 1', lastSeenAt: '2026-11-18T08:00:00.000Z' } },
    'A runner is offline',
    'build 1',
  ],
  ['webhook.test', {}, 'This is a test of Colophon', 'Handbook'],
])('describes %s', (type, data, headline, fact) => {
  const event = { id: 'evt_1', type, at: new Date(0), data: { projectId: 'prj_1', ...data } } as const
  const message = describeEvent(event, context)
  expect(message.headline).toBe(headline)
  expect(message.facts.map(({ text }) => text)).toContain(fact)
})

test('does not link to a pull request that is not on the web', () => {
  const event = jobEvent('x')
  ;(event.data.job as { pullRequest: { url: string } }).pullRequest.url = 'javascript:alert(1)'
  expect(describeEvent(event, { ...context, publicUrl: undefined }).links).toEqual([])
})

interface SlackMessage {
  text: string
  blocks: { type: string; text?: SlackText; fields?: SlackText[]; elements?: SlackText[] }[]
}
interface SlackText {
  type: string
  text: string
}

/** What Slack interprets: `text`, and objects of the type mrkdwn. */
function interpretedBySlack(title: string): string[] {
  const { text, blocks } = composeSlackMessage(describeEvent(jobEvent(title, title), context)) as SlackMessage
  const texts = blocks.flatMap(({ text: own, fields = [], elements = [] }) => [
    ...(own ? [own] : []),
    ...fields,
    ...elements,
  ])
  return [text, ...texts.filter(({ type }) => type !== 'plain_text').map((object) => object.text)]
}

const ownLinks = [
  '<https://colophon.example.com/projects/prj_1/jobs/job_1|Open the job>',
  '<https://git.example.com/docs/site/pulls/7|Open pull request 7>',
]

test.each(hostileTitles)('Slack interprets nothing of %j', (title) => {
  const [text, ...others] = interpretedBySlack(title)
  expect(text).not.toMatch(/[<>]/)
  expect(others).toEqual(ownLinks)
})

test.each(hostileTitles)('Teams interprets nothing of %j', (title) => {
  const card = JSON.stringify(composeTeamsMessage(describeEvent(jobEvent(title, title), context)))
  expect(card).not.toContain('"TextBlock"') // has Markdown
  expect(card).not.toContain('{{')
  expect(card.match(/"type":"Action.OpenUrl"/g)).toHaveLength(2)
})

test.each(hostileTitles)('an email has no line of %j', (title) => {
  const { subject, text } = composeEmailMessage(describeEvent(jobEvent(title, title), context))
  expect(subject).toBe('A job failed (Handbook)')
  const linesWithoutTitle = text.split('\n').filter((line) => !/^(?:Job|Error): /.test(line))
  expect(linesWithoutTitle).toEqual(
    composeEmailMessage(describeEvent(jobEvent('x', 'x'), context))
      .text.split('\n')
      .filter((line) => !/^(?:Job|Error): /.test(line)),
  )
})

test('any text becomes one line without invisible characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 1000 }), (text) => {
      const line = toPlainLine(text)
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect([...line].length).toBeLessThanOrEqual(300)
      for (const interpreted of interpretedBySlack(text).slice(0, 1)) expect(interpreted).not.toMatch(/[<>]/)
    }),
  )
})
