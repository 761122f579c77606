import { describe, expect, it } from 'vitest'
import type { Turn } from './conversation.ts'
import { newcomer } from './newcomer.ts'

function secondStep(instruction: string, outputs: Record<string, string> = {}) {
  const calls = Object.keys(outputs).map((tool) => ({ id: tool, tool }))
  const results = Object.entries(outputs).map(([callId, output]): Turn => ({ by: 'tool', callId, output }))
  const turns: Turn[] = [{ by: 'user', text: instruction }, { by: 'assistant', calls }, ...results]
  return newcomer({ model: 'any', toolsOffered: [], turns })[1]
}

describe('the newcomer’s script', () => {
  it('writes a page named after the instruction, where the docs are', () => {
    expect(secondStep('Explain the *retries*.\n\nIn detail.', { ls: 'content/\nREADME.md' })).toMatchObject({
      call: [
        {
          tool: 'write',
          arguments: {
            path: 'content/explain-the-retries.md',
            content: '# Explain the retries\n\nThe scripted model was asked: Explain the retries. In detail.\n',
          },
        },
      ],
    })
  })

  it.each([
    ['Add <Tabs> and {props}', 'docs/add-tabs-and-props.md'],
    ['Überblick schreiben', 'docs/uberblick-schreiben.md'],
    ['説明を書いて', 'docs/notes.md'],
    ['!', 'docs/notes.md'],
    [`${'word '.repeat(30)}`, 'docs/word-word-word-word-word-word-word-word-word-word-word-word.md'],
  ])('names the page for %s', (instruction, path) => {
    expect(secondStep(instruction)).toMatchObject({ call: [{ arguments: { path } }] })
  })

  it('adds to the page that the instruction names, after its first heading', () => {
    const read = '---\ntitle: Guide\n---\n\n# Guide\n\nText.\n'
    expect(secondStep('Mend docs/guide.mdx.', { ls: 'docs/', read })).toMatchObject({
      call: [
        {
          tool: 'edit',
          arguments: {
            path: 'docs/guide.mdx',
            edits: [{ oldText: '# Guide', newText: '# Guide\n\nThe scripted model was asked: Mend docs/guide.mdx.' }],
          },
        },
      ],
    })
  })

  it('adds at the end where there is no heading', () => {
    expect(secondStep('Mend a.md', { read: 'same\nsame\nlast\n' })).toMatchObject({
      call: [{ tool: 'edit', arguments: { edits: [{ oldText: 'last' }] } }],
    })
  })

  it('writes the named page when it is not there', () => {
    expect(secondStep('Write docs/new.md', { read: 'ENOENT: no such file or directory' })).toMatchObject({
      call: [{ tool: 'write', arguments: { path: 'docs/new.md' } }],
    })
  })

  it('takes no path out of the repository', () => {
    expect(secondStep('Mend ../../etc/secret.md')).toMatchObject({
      call: [{ tool: 'write', arguments: { path: 'docs/mend-etc-secret-md.md' } }],
    })
  })

  it('answers with a title and a summary', () => {
    const steps = newcomer({ model: 'any', toolsOffered: [], turns: [{ by: 'user', text: 'explain it' }] })
    expect(steps).toHaveLength(3)
    expect(steps[2]).toMatchObject({ say: expect.stringMatching(/^Explain it\n\nAdds `docs\/explain-it.md`/) })
  })
})
