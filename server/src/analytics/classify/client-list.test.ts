import { expect, test } from 'vitest'
import {
  type ClientList,
  type ClientListEntry,
  ClientListError,
  parseClientList,
  readClientList,
} from './client-list.ts'
import { compareClientLists, formatClientListDifference } from './compare-client-lists.ts'

const list = readClientList()

const entry = (name: string, overrides: Partial<ClientListEntry> = {}): ClientListEntry => ({
  name,
  operator: 'Example Inc.',
  class: 'assistant',
  match: name,
  caseSensitive: false,
  exampleUserAgent: null,
  ipRangesUrl: null,
  sources: [],
  ...overrides,
})
const listOf = (...clients: ClientListEntry[]): ClientList => ({ version: '2026-01-01', note: '', clients })

test('the bundled list is valid and names its sources', () => {
  expect(list.note).toContain('Compiled')
  expect(list.clients.every(({ sources }) => sources.length > 0)).toBe(true)
})

test.each<[message: string, text: string]>([
  ['The file is not valid JSON', '{'],
  ['/version', JSON.stringify({ ...list, version: 'new' })],
  ['/clients', JSON.stringify({ ...list, clients: [] })],
  ['/clients/0/class', JSON.stringify(listOf(entry('a bot', { class: 'human' as never })))],
  ['/clients/0/match', JSON.stringify(listOf(entry('a bot', { match: '' })))],
  ['/clients/0/match', JSON.stringify(listOf(entry('a bot', { match: 'bött' })))],
  ['GPTBot: the name is already in use', JSON.stringify(listOf(entry('GPTBot'), entry('GPTBot', { match: 'other' })))],
  ['browser: the name is already in use', JSON.stringify(listOf(entry('browser')))],
  [
    'Codex CLI: never matches, because the earlier entry codex',
    JSON.stringify(listOf(entry('codex'), entry('Codex CLI'))),
  ],
  [
    'GPTBot: does not match its own exampleUserAgent',
    JSON.stringify(listOf(entry('GPTBot', { exampleUserAgent: 'curl/8' }))),
  ],
])('rejects an invalid list with the message "%s"', (message, text) => {
  const error = (() => {
    try {
      return parseClientList(text)
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(ClientListError)
  expect((error as ClientListError).message).toContain(message)
})

test('finds no difference between a list and itself', () => {
  expect(formatClientListDifference(compareClientLists(list, list))).toEqual([])
})

test('reports added, removed and changed entries, and clients that are classified differently', () => {
  const userAgent = 'Googlebot-Assistant/1.0'
  const before = listOf(entry('Googlebot', { class: 'search', exampleUserAgent: userAgent }), entry('Gone'))
  const after = listOf(
    entry('Googlebot-Assistant', { exampleUserAgent: userAgent }),
    entry('Googlebot', { class: 'ai-search', exampleUserAgent: userAgent }),
  )
  expect(formatClientListDifference(compareClientLists(before, after))).toEqual([
    '+ Googlebot-Assistant: assistant, by "Googlebot-Assistant"',
    '- Gone: assistant, by "Gone"',
    '~ Googlebot: class "search" -> "ai-search"',
    `! Googlebot (search) -> Googlebot-Assistant (assistant): ${userAgent}`,
  ])
})
