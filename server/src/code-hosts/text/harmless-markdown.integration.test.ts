import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { harmlessMarkdown } from './harmless-markdown.ts'
import { visibleText } from './harmless-text.ts'
import { agentText } from './testing/active-forms.ts'

const { url, adminName, adminToken } = inject('services').gitea

/** As Gitea shows it in a pull request. */
async function render(text: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/markdown`, {
    method: 'POST',
    headers: { authorization: `token ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ Text: text, Mode: 'comment', Context: `/${adminName}/none` }),
  })
  expect(response.status).toBe(200)
  return await response.text()
}

const harmlessTag = /^<\/?(p|br|h3|ul|ol|li|code|pre|div|span)\b/

describe('what Gitea makes of it', () => {
  it('has nothing but text, headings, lists and code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(agentText, { maxLength: 40 }), async (texts) => {
        const html = await render(texts.map(harmlessMarkdown).join('\n\n'))
        const tags = html.match(/<[^>]*>/g) ?? []
        expect(tags.filter((tag) => !harmlessTag.test(tag) || /\s(src|href|on\w+)=|mention|ref-/.test(tag))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('says what the agent said', async () => {
    const text = 'A <b>bold</b> & *starry* [link](b), a_b_c, 1 < 2 > 0, ~x~ | $y$ \\ ^'
    const html = await render(harmlessMarkdown(text))
    const read = html
      .replace(/<[^>]*>/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&#34;/g, '"')
      .replace(/&amp;/g, '&')
    expect(read.trim()).toBe(visibleText(text))
  })
})
