import { expect, test } from 'vitest'
import { type ClientList, ClientListError, type KnownClient, parseClientList, readClientList } from './client-list.ts'
import { compareClientLists, describeDifference } from './compare-client-lists.ts'

const list = readClientList()

const reader = (name: string, more: Partial<KnownClient> = {}): KnownClient => ({
  name,
  operator: 'somebody',
  class: 'assistant',
  match: name,
  caseSensitive: false,
  exampleUserAgent: null,
  ipRangesUrl: null,
  sources: [],
  ...more,
})
const listOf = (...clients: KnownClient[]): ClientList => ({ version: '2026-01-01', note: '', clients })

test('the list that we bring says where it is from and holds no mistakes', () => {
  expect(list.note).toContain('Compiled')
  expect(list.clients.every(({ sources }) => sources.length > 0)).toBe(true)
})

test.each<[words: string, text: string]>([
  ['It is not JSON', '{'],
  ['/version', JSON.stringify({ ...list, version: 'new' })],
  ['/clients', JSON.stringify({ ...list, clients: [] })],
  ['/clients/0/class', JSON.stringify(listOf(reader('a bot', { class: 'human' as never })))],
  ['/clients/0/match', JSON.stringify(listOf(reader('a bot', { match: '' })))],
  ['/clients/0/match', JSON.stringify(listOf(reader('a bot', { match: 'bött' })))],
  ['GPTBot: the name is taken', JSON.stringify(listOf(reader('GPTBot'), reader('GPTBot', { match: 'other' })))],
  ['browser: the name is taken', JSON.stringify(listOf(reader('browser')))],
  ['Codex CLI: never decides, because codex', JSON.stringify(listOf(reader('codex'), reader('Codex CLI')))],
  ['GPTBot: does not match its own example', JSON.stringify(listOf(reader('GPTBot', { exampleUserAgent: 'curl/8' })))],
])('refuses a list and says "%s"', (words, text) => {
  const mistake = (() => {
    try {
      return parseClientList(text)
    } catch (error) {
      return error
    }
  })()
  expect(mistake).toBeInstanceOf(ClientListError)
  expect((mistake as ClientListError).message).toContain(words)
})

test('a list differs from itself in nothing', () => {
  expect(describeDifference(compareClientLists(list, list))).toEqual([])
})

test('a newer list shows what it adds, removes and changes, and who becomes somebody else', () => {
  const agent = 'Googlebot-Assistant/1.0'
  const before = listOf(reader('Googlebot', { class: 'search', exampleUserAgent: agent }), reader('Gone'))
  const after = listOf(
    reader('Googlebot-Assistant', { exampleUserAgent: agent }),
    reader('Googlebot', { class: 'ai-search', exampleUserAgent: agent }),
  )
  expect(describeDifference(compareClientLists(before, after))).toEqual([
    '+ Googlebot-Assistant: assistant, by "Googlebot-Assistant"',
    '- Gone: assistant, by "Gone"',
    '~ Googlebot: class "search" -> "ai-search"',
    `! Googlebot (search) -> Googlebot-Assistant (assistant): ${agent}`,
  ])
})
