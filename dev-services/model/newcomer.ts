import { type Conversation, lastInstruction, outputOf } from './conversation.ts'
import type { Script, ToolCall } from './script.ts'

/**
 * What the model does when nobody gave it a script: looks around, then mends the page that the instruction names, or
 * writes a new one, and answers with a title and a summary. Enough for a first pull request that a person can read.
 */
export function newcomer(conversation: Conversation): Script {
  const instruction = lastInstruction(conversation)
  const title = titleOf(instruction)
  const named = /(?<![\w./-])((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.mdx?)\b/.exec(instruction)?.[1]
  const page = named ?? `${docsFolder(outputOf('ls', conversation))}/${slugOf(title)}.md`
  const existing = named === undefined ? undefined : pageText(outputOf('read', conversation))

  return [
    {
      say: 'I will look at what is there first.',
      call: [
        { tool: 'ls', arguments: { path: '.' } },
        named === undefined
          ? { tool: 'find', arguments: { pattern: '**/README*' } }
          : { tool: 'read', arguments: { path: named } },
      ],
    },
    existing === undefined
      ? { say: `I will write ${page}.`, call: [writePage(page, title, instruction)] }
      : { say: `I will add to ${page}.`, call: [addToPage(page, existing, instruction)] },
    {
      say: `${title}\n\n${existing === undefined ? 'Adds' : 'Changes'} \`${page}\` as asked. The text is the scripted model's, which stands in for a real one: connect a model to get real prose.`,
    },
  ]
}

function writePage(path: string, title: string, instruction: string): ToolCall {
  return { tool: 'write', arguments: { path, content: `# ${title}\n\n${paragraph(instruction)}\n` } }
}

/** After the first heading where there is one, else at the end. The edit tool wants a text that occurs once. */
function addToPage(path: string, text: string, instruction: string): ToolCall {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const once = lines.filter((line) => text.split(line).length === 2)
  const anchor = once.find((line) => /^#{1,6} /.test(line)) ?? once.at(-1) ?? text
  return {
    tool: 'edit',
    arguments: { path, edits: [{ oldText: anchor, newText: `${anchor}\n\n${paragraph(instruction)}` }] },
  }
}

function paragraph(instruction: string): string {
  return `The scripted model was asked: ${plain(instruction).slice(0, 300)}`
}

/** Without what Markdown or MDX would take for markup, links or code: the page has to compile. */
function plain(text: string): string {
  return text
    .replaceAll(/[<>{}[\]`*_#|\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function titleOf(instruction: string): string {
  const firstLine =
    instruction
      .split('\n')
      .map(plain)
      .find((line) => line !== '') ?? ''
  const short = firstLine.length <= 60 ? firstLine : firstLine.slice(0, 60).replace(/\s+\S*$/, '')
  const title = short.replace(/[\s.,;:!?]+$/, '')
  return title === '' ? 'Notes' : title.slice(0, 1).toUpperCase() + title.slice(1)
}

function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return slug === '' ? 'notes' : slug
}

function docsFolder(listing = ''): string {
  const entries = listing.split('\n').map((line) => line.trim())
  return ['docs', 'documentation', 'doc', 'content'].find((folder) => entries.includes(`${folder}/`)) ?? 'docs'
}

/** The OpenAI formats do not mark a failed tool call; the engine's words for a missing file are all there is. */
function pageText(output: string | undefined): string | undefined {
  return output === undefined || output.trim() === '' || /^\W*(ENOENT|Error|File not found)/.test(output)
    ? undefined
    : output
}
