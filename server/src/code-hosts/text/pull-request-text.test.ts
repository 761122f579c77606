import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  defaultPublishingTemplates,
  renderBranchName,
  renderCommitMessage,
  renderPullRequest,
  validateTemplates,
} from './pull-request-text.ts'
import { agentTextArbitrary, findHostTriggers } from './testing/active-forms.ts'

const jobId = 'job_01k0000000000000000000000a'
const agentOutput = { title: 'Explain tokens', summary: 'Says what a **token** is.' }
const signOff = { name: 'Docs', email: 'docs@example.com' }

describe('renderPullRequest', () => {
  it('lists new hosts, without links', () => {
    const { body } = renderPullRequest(defaultPublishingTemplates, jobId, { title: null, summary: 'Done.' }, [
      'a.example',
      'www.example.com',
    ])
    expect(body).toContain('Hosts in links and images that no page named before: `a.example`, `')
    expect(findHostTriggers(body)).toEqual([])
  })

  it('contains the summary, that an AI wrote it, and the job', () => {
    expect(renderPullRequest(defaultPublishingTemplates, jobId, agentOutput)).toEqual({
      title: 'Explain tokens',
      body: `Says what a \\*\\*token\\*\\* is.\n\n*An AI agent wrote this pull request: Colophon, job \`${jobId}\`.*`,
    })
  })

  it('keeps the text of the project template unchanged', () => {
    const templates = {
      title: 'docs: {title}',
      body: 'See [the guide](https://docs.example.com), @docs.\n{summary}\nJob {jobId}.',
    }
    expect(renderPullRequest(templates, jobId, { title: null, summary: '{jobId}' })).toEqual({
      title: 'docs: Update the docs',
      body: expect.stringMatching(
        /^See \[the guide\]\(https:\/\/docs\.example\.com\), @docs\.\n\n\{jobId\}\n\nJob job_/,
      ),
    })
  })

  it('leaves no gap without a summary', () => {
    const { body } = renderPullRequest(defaultPublishingTemplates, jobId, { title: null, summary: null })
    expect(body).toBe(`*An AI agent wrote this pull request: Colophon, job \`${jobId}\`.*`)
  })

  it.each([
    ['WIP: page', 'page'],
    ['[WIP] Draft: page', 'page'],
    ['(draft) page', 'page'],
    ['fixup! squash! page', 'page'],
    ['docs(api)!: page', 'docs(api): page'],
    ['wip:', 'Update the docs'],
    ['Two\nlines', 'Two lines'],
  ])('title %j becomes %j', (title, expected) => {
    expect(renderPullRequest(defaultPublishingTemplates, jobId, { title, summary: null }).title).toBe(expected)
  })

  it('contains no active form, and respects the length limits', () => {
    fc.assert(
      fc.property(agentTextArbitrary, agentTextArbitrary, (title, summary) => {
        const text = renderPullRequest(defaultPublishingTemplates, jobId, { title, summary })
        expect([...findHostTriggers(text.title), ...findHostTriggers(text.body)]).toEqual([])
        expect(text.title).not.toMatch(/^(wip|draft)\s*:|^\[(wip|draft)\]/i)
      }),
      { numRuns: 2000 },
    )
    const long = renderPullRequest(defaultPublishingTemplates, jobId, {
      title: 'a'.repeat(1000),
      summary: '*'.repeat(100_000),
    })
    expect(long.title.length).toBeLessThanOrEqual(200)
    expect(long.body.length).toBeLessThan(60_000)
  })

  it('contains no active form that title and template form together', () => {
    const { title } = renderPullRequest({ ...defaultPublishingTemplates, title: 'Fixes {title} #{title}' }, jobId, {
      title: 'ABC-1',
      summary: null,
    })
    expect(findHostTriggers(title)).toEqual([])
  })
})

describe('renderCommitMessage', () => {
  it('ends with our trailers', () => {
    expect(renderCommitMessage(jobId, agentOutput, signOff)).toBe(
      `Explain tokens\n\nSays what a **token** is.\n\nAn AI agent wrote this.\n\nColophon-Job: ${jobId}\nSigned-off-by: Docs <docs@example.com>\n`,
    )
  })

  it('contains no divider after trimming', () => {
    expect(renderCommitMessage(jobId, { title: '', summary: ' ---' }, undefined)).not.toMatch(/^---$/m)
  })

  it('contains no trailer, keyword or mention from the agent', () => {
    fc.assert(
      fc.property(agentTextArbitrary, agentTextArbitrary, (title, summary) => {
        const message = renderCommitMessage(jobId, { title, summary }, undefined)
        expect(findHostTriggers(message)).toEqual([])
        expect(message.split('\n\n').at(-1)).toBe(`Colophon-Job: ${jobId}\n`)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('renderBranchName', () => {
  it('differs for each pull request of a job', () => {
    expect(renderBranchName(defaultPublishingTemplates.branch, jobId, 1)).toBe(`colophon/${jobId}`)
    expect(renderBranchName(defaultPublishingTemplates.branch, jobId, 2)).toBe(`colophon/${jobId}-2`)
  })
})

describe('validateTemplates', () => {
  it('accepts the default templates', () => {
    expect(validateTemplates(defaultPublishingTemplates)).toEqual([])
  })

  it.each([
    [{ branch: 'docs' }, 'The branch must contain {jobId}, so that every job has its own branch.'],
    [{ branch: '{jobId}..x' }, 'The branch is not a valid git branch name.'],
    [{ branch: '{jobId}/{title}' }, 'The variable {title} does not exist here. Use {jobId}.'],
    [{ title: 'Docs' }, 'The title must contain {title} exactly once.'],
    [{ title: '{title}\nx' }, 'The title must be one line of plain text.'],
    [{ title: `{title}${'x'.repeat(100)}` }, 'The title is longer than 100 characters.'],
    [{ body: 'x' }, 'The body must contain {summary} exactly once, on a line of its own.'],
    [{ body: '> {summary}' }, 'The body must contain {summary} exactly once, on a line of its own.'],
    [{ body: '{summary}\n{summary}' }, 'The body must contain {summary} exactly once, on a line of its own.'],
    [{ body: '```\n{summary}\n```' }, 'The body must not contain HTML or code blocks.'],
    [{ body: '<details>\n{summary}' }, 'The body must not contain HTML or code blocks.'],
    [{ body: '{summary}\n{prompt}' }, 'The variable {prompt} does not exist here. Use {summary} or {jobId}.'],
  ])('rejects %j: %s', (change, problem) => {
    expect(validateTemplates({ ...defaultPublishingTemplates, ...change })).toContain(problem)
  })
})
