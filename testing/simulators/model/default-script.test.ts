import { describe, expect, it } from 'vitest'
import type { ConversationTurn } from './conversation.ts'
import { defaultScript } from './default-script.ts'

function secondStep(instruction: string, outputs: Record<string, string> = {}) {
  const calls = Object.keys(outputs).map((tool) => ({ id: tool, tool }))
  const results = Object.entries(outputs).map(([callId, output]): ConversationTurn => ({ by: 'tool', callId, output }))
  const turns: ConversationTurn[] = [{ by: 'user', text: instruction }, { by: 'assistant', calls }, ...results]
  return defaultScript({ model: 'any', toolsOffered: [], turns })[1]
}

describe('defaultScript', () => {
  it('writes a page named after the instruction in the docs folder', () => {
    expect(secondStep('Explain the *retries*.\n\nIn detail.', { ls: 'content/\nREADME.md' })).toMatchObject({
      call: [
        {
          tool: 'write',
          arguments: {
            path: 'content/explain-the-retries.md',
            content: '# Explain the retries\n\nPrompt to the scripted model: Explain the retries. In detail.\n',
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
    expect(secondStep('Fix docs/guide.mdx.', { ls: 'docs/', read })).toMatchObject({
      call: [
        {
          tool: 'edit',
          arguments: {
            path: 'docs/guide.mdx',
            edits: [{ oldText: '# Guide', newText: '# Guide\n\nPrompt to the scripted model: Fix docs/guide.mdx.' }],
          },
        },
      ],
    })
  })

  it('adds to the end of a page without a heading', () => {
    expect(secondStep('Fix a.md', { read: 'same\nsame\nlast\n' })).toMatchObject({
      call: [{ tool: 'edit', arguments: { edits: [{ oldText: 'last' }] } }],
    })
  })

  it('writes the named page if it does not exist', () => {
    expect(secondStep('Write docs/new.md', { read: 'ENOENT: no such file or directory' })).toMatchObject({
      call: [{ tool: 'write', arguments: { path: 'docs/new.md' } }],
    })
  })

  it('ignores paths outside of the repository', () => {
    expect(secondStep('Fix ../../etc/secret.md')).toMatchObject({
      call: [{ tool: 'write', arguments: { path: 'docs/fix-etc-secret-md.md' } }],
    })
  })

  it('ends with a title and a summary', () => {
    const steps = defaultScript({ model: 'any', toolsOffered: [], turns: [{ by: 'user', text: 'explain it' }] })
    expect(steps).toHaveLength(3)
    expect(steps[2]).toMatchObject({ say: expect.stringMatching(/^Explain it\n\nAdds `docs\/explain-it.md`/) })
  })
})
