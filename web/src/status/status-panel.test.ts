import type { ComponentStatus, Readiness } from '@colophon/sdk'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { StatusPanel } from './status-panel.tsx'
import type { Seen } from './watch-readiness.ts'

/** What a reader sees, piece by piece, and the tone that colours it. */
function rendered(seen: Seen) {
  const html = renderToStaticMarkup(createElement(StatusPanel, { seen }))
  expect(html).not.toMatch(/ style=|<style|<script/) // the content security policy lets none of them through
  return {
    tone: /data-tone="(\w+)"/.exec(html)?.[1],
    text: html.split(/<[^>]*>/).filter((piece) => piece !== ''),
  }
}

const at = new Date('2026-01-02T03:04:05Z')
const ok: ComponentStatus = { status: 'ok', latencyMs: 3 }
const answered = (status: Readiness['status'], components: Readiness['components'] = { postgres: ok }): Seen => ({
  state: 'answered',
  readiness: { status, version: '1.2.3', components },
  at,
})

test('before the first answer', () => {
  expect(rendered({ state: 'asking' })).toEqual({ tone: 'unknown', text: ['Asking', 'Finding out what works.'] })
})

test('ready', () => {
  expect(rendered(answered('ready'))).toEqual({
    tone: 'good',
    text: ['Ready', 'Everything works.', 'PostgreSQL', 'Jobs, projects and keys', 'works · 3 ms'],
  })
})

test('degraded: says which part fails, why, and what that means', () => {
  const { tone, text } = rendered(
    answered('degraded', { postgres: ok, clickhouse: { status: 'failing', reason: 'disk_full' } }),
  )
  expect(tone).toBe('poor')
  expect(text.slice(-3)).toEqual([
    'ClickHouse',
    'Its disk is full. Views wait for it, and counts cannot be read.',
    'fails',
  ])
})

test('not ready', () => {
  const { tone, text } = rendered(answered('not_ready', { postgres: { status: 'failing', reason: 'unreachable' } }))
  expect(tone).toBe('bad')
  expect(text).toContain('Not ready')
  expect(text).toContain('Cannot be reached. Nothing works without it.')
})

test('stopping', () => {
  expect(rendered(answered('stopping'))).toMatchObject({ tone: 'poor', text: expect.arrayContaining(['Stopping']) })
})

test('cannot be reached: says what was tried', () => {
  const { tone, text } = rendered({ state: 'no_response', detail: 'No whole answer from there.', at })
  expect(tone).toBe('bad')
  expect(text[0]).toBe('Cannot be reached')
  expect(text).toContain('No whole answer from there.')
})

test('a part and a reason that only a later server knows', () => {
  const { text } = rendered(answered('degraded', { 'object-store': { status: 'failing', reason: 'too_warm' } }))
  expect(text.slice(-3)).toEqual(['object-store', 'Does not work: too_warm. ', 'fails'])
})
