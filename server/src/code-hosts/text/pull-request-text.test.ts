import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  defaultTemplates,
  problemsOfTemplates,
  renderBranchName,
  renderCommitMessage,
  renderPullRequest,
} from './pull-request-text.ts'
import { activeForms, agentText } from './testing/active-forms.ts'

const jobId = 'job_01k0000000000000000000000a'
const written = { title: 'Explain tokens', summary: 'Says what a **token** is.' }
const signOff = { name: 'Docs', email: 'docs@example.com' }

describe('renderPullRequest', () => {
  it('says what was done, that an AI did it, and which job', () => {
    expect(renderPullRequest(defaultTemplates, jobId, written)).toEqual({
      title: 'Explain tokens',
      body: `Says what a \\*\\*token\\*\\* is.\n\n*An AI agent wrote this pull request: Colophon, job \`${jobId}\`.*`,
    })
  })

  it("keeps a project's own words as they are", () => {
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

  it('leaves no gap where the agent said nothing', () => {
    const { body } = renderPullRequest(defaultTemplates, jobId, { title: null, summary: null })
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
    expect(renderPullRequest(defaultTemplates, jobId, { title, summary: null }).title).toBe(expected)
  })

  it('never acts, and is never too long', () => {
    fc.assert(
      fc.property(agentText, agentText, (title, summary) => {
        const text = renderPullRequest(defaultTemplates, jobId, { title, summary })
        expect([...activeForms(text.title), ...activeForms(text.body)]).toEqual([])
        expect(text.title).not.toMatch(/^(wip|draft)\s*:|^\[(wip|draft)\]/i)
      }),
      { numRuns: 2000 },
    )
    const long = renderPullRequest(defaultTemplates, jobId, { title: 'a'.repeat(1000), summary: '*'.repeat(100_000) })
    expect(long.title.length).toBeLessThanOrEqual(200)
    expect(long.body.length).toBeLessThan(60_000)
  })

  it('does not let a title become more than the template says', () => {
    const { title } = renderPullRequest({ ...defaultTemplates, title: 'Fixes {title} #{title}' }, jobId, {
      title: 'ABC-1',
      summary: null,
    })
    expect(activeForms(title)).toEqual([])
  })
})

describe('renderCommitMessage', () => {
  it('ends with trailers of ours', () => {
    expect(renderCommitMessage(jobId, written, signOff)).toBe(
      `Explain tokens\n\nSays what a **token** is.\n\nAn AI agent wrote this.\n\nColophon-Job: ${jobId}\nSigned-off-by: Docs <docs@example.com>\n`,
    )
  })

  it('takes no divider that only a space in front kept from being one', () => {
    expect(renderCommitMessage(jobId, { title: '', summary: ' ---' }, undefined)).not.toMatch(/^---$/m)
  })

  it('takes no trailer, keyword or mention from the agent', () => {
    fc.assert(
      fc.property(agentText, agentText, (title, summary) => {
        const message = renderCommitMessage(jobId, { title, summary }, undefined)
        expect(activeForms(message)).toEqual([])
        expect(message.split('\n\n').at(-1)).toBe(`Colophon-Job: ${jobId}\n`)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('renderBranchName', () => {
  it('is another one for each pull request of a job', () => {
    expect(renderBranchName(defaultTemplates.branch, jobId, 1)).toBe(`colophon/${jobId}`)
    expect(renderBranchName(defaultTemplates.branch, jobId, 2)).toBe(`colophon/${jobId}-2`)
  })
})

describe('problemsOfTemplates', () => {
  it('finds none in the default', () => {
    expect(problemsOfTemplates(defaultTemplates)).toEqual([])
  })

  it.each([
    [{ branch: 'docs' }, 'The branch needs {jobId}, so that every job has its own.'],
    [{ branch: '{jobId}..x' }, 'The branch is not a name that git allows.'],
    [{ branch: '{jobId}/{title}' }, 'There is no variable {title}.'],
    [{ title: 'Docs' }, 'The title needs {title}, once.'],
    [{ title: '{title}\nx' }, 'The title must be one line of plain text.'],
    [{ title: `{title}${'x'.repeat(100)}` }, 'The title is longer than 100 characters.'],
    [{ body: 'x' }, 'The body needs {summary}, once, on a line of its own.'],
    [{ body: '> {summary}' }, 'The body needs {summary}, once, on a line of its own.'],
    [{ body: '{summary}\n{summary}' }, 'The body needs {summary}, once, on a line of its own.'],
    [{ body: '```\n{summary}\n```' }, 'The body must not contain HTML or code blocks.'],
    [{ body: '<details>\n{summary}' }, 'The body must not contain HTML or code blocks.'],
    [{ body: '{summary}\n{prompt}' }, 'There is no variable {prompt}.'],
  ])('of %j says: %s', (change, problem) => {
    expect(problemsOfTemplates({ ...defaultTemplates, ...change })).toContain(problem)
  })
})
