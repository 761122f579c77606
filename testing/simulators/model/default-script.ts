import { type Conversation, findToolOutput, lastInstruction } from './conversation.ts'
import type { Script, ToolCall } from './script.ts'

/**
 * The script for prompts without one: lists files, then changes the page that the instruction names or writes a new one, and
 * replies with a title and a summary. Enough for a readable first pull request.
 */
export function defaultScript(conversation: Conversation): Script {
  const instruction = lastInstruction(conversation)
  const title = titleOf(instruction)
  const namedPage = /(?<![\w./-])((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.mdx?)\b/.exec(instruction)?.[1]
  const page = namedPage ?? `${docsFolder(findToolOutput('ls', conversation))}/${slugOf(title)}.md`
  const existing = namedPage === undefined ? undefined : pageText(findToolOutput('read', conversation))

  return [
    {
      say: 'I will read the existing files first.',
      call: [
        { tool: 'ls', arguments: { path: '.' } },
        namedPage === undefined
          ? { tool: 'find', arguments: { pattern: '**/README*' } }
          : { tool: 'read', arguments: { path: namedPage } },
      ],
    },
    existing === undefined
      ? { say: `I will write ${page}.`, call: [writePage(page, title, instruction)] }
      : { say: `I will add to ${page}.`, call: [addToPage(page, existing, instruction)] },
    {
      say: `${title}\n\n${existing === undefined ? 'Adds' : 'Changes'} \`${page}\` as requested. This text comes from the scripted model. Add a real model to get real prose.`,
    },
  ]
}

function writePage(path: string, title: string, instruction: string): ToolCall {
  return { tool: 'write', arguments: { path, content: `# ${title}\n\n${paragraph(instruction)}\n` } }
}

/** Adds a paragraph after the first heading, or at the end if there is none. The edit tool requires a text that occurs once. */
function addToPage(path: string, text: string, instruction: string): ToolCall {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const uniqueLines = lines.filter((line) => text.split(line).length === 2)
  const anchor = uniqueLines.find((line) => /^#{1,6} /.test(line)) ?? uniqueLines.at(-1) ?? text
  return {
    tool: 'edit',
    arguments: { path, edits: [{ oldText: anchor, newText: `${anchor}\n\n${paragraph(instruction)}` }] },
  }
}

function paragraph(instruction: string): string {
  return `Prompt to the scripted model: ${plain(instruction).slice(0, 300)}`
}

/** Removes Markdown and MDX syntax, so that the page compiles. */
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

/** The OpenAI formats do not mark failed tool calls, so a missing file is recognized by the agent's error text. */
function pageText(output: string | undefined): string | undefined {
  return output === undefined || output.trim() === '' || /^\W*(ENOENT|Error|File not found)/.test(output)
    ? undefined
    : output
}
