import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { neutralizeMarkdown } from './neutralize-markdown.ts'
import { removeInvisibleCharacters } from './neutralize-text.ts'
import { agentTextArbitrary } from './testing/active-forms.ts'

const { url, adminName, adminToken } = inject('services').gitea

/** Renders text the way Gitea shows it in a pull request. */
async function render(text: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/markdown`, {
    method: 'POST',
    headers: { authorization: `token ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ Text: text, Mode: 'comment', Context: `/${adminName}/none` }),
  })
  expect(response.status).toBe(200)
  return await response.text()
}

const allowedTag = /^<\/?(p|br|h3|ul|ol|li|code|pre|div|span)\b/

describe('rendered by Gitea', () => {
  it('contains nothing but text, headings, lists and code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(agentTextArbitrary, { maxLength: 40 }), async (texts) => {
        const html = await render(texts.map(neutralizeMarkdown).join('\n\n'))
        const tags = html.match(/<[^>]*>/g) ?? []
        expect(tags.filter((tag) => !allowedTag.test(tag) || /\s(src|href|on\w+)=|mention|ref-/.test(tag))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('shows the text that the agent wrote', async () => {
    const text = 'A <b>bold</b> & *starry* [link](b), a_b_c, 1 < 2 > 0, ~x~ | $y$ \\ ^'
    const html = await render(neutralizeMarkdown(text))
    const shown = html
      .replace(/<[^>]*>/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&#34;/g, '"')
      .replace(/&amp;/g, '&')
    expect(shown.trim()).toBe(removeInvisibleCharacters(text))
  })
})
