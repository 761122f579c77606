import type { ComponentStatus, Readiness } from '@colophon/sdk'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { StatusPanel } from './status-panel.tsx'
import type { ReadinessPollState } from './watch-readiness.ts'

/** The visible text, piece by piece, and the tone that colors it. */
function rendered(state: ReadinessPollState) {
  const html = renderToStaticMarkup(createElement(StatusPanel, { state }))
  expect(html).not.toMatch(/ style=|<style|<script/) // the content security policy would block them
  return {
    tone: /data-tone="(\w+)"/.exec(html)?.[1],
    text: html.split(/<[^>]*>/).filter((piece) => piece !== ''),
  }
}

const at = new Date('2026-01-02T03:04:05Z')
const ok: ComponentStatus = { status: 'ok', latencyMs: 3 }
const loaded = (
  status: Readiness['status'],
  components: Readiness['components'] = { postgres: ok },
  warnings: Readiness['warnings'] = [],
): ReadinessPollState => ({
  state: 'loaded',
  readiness: { status, version: '1.2.3', components, warnings },
  at,
})

test('shows that it is loading before the first response', () => {
  expect(rendered({ state: 'loading' })).toEqual({ tone: 'unknown', text: ['Loading', 'Checking all components.'] })
})

test('shows a ready instance', () => {
  expect(rendered(loaded('ready'))).toEqual({
    tone: 'good',
    text: [
      'Ready',
      'All components work.',
      'PostgreSQL',
      'Stores projects, members, API keys, jobs and settings.',
      'OK · 3 ms',
    ],
  })
})

test('shows which component fails, why, and the impact', () => {
  const { tone, text } = rendered(
    loaded('degraded', { postgres: ok, clickhouse: { status: 'failing', reason: 'disk_full' } }),
  )
  expect(tone).toBe('poor')
  expect(text.slice(-3)).toEqual([
    'ClickHouse',
    'Its disk is full. New page views are accepted and buffered. Analytics are unavailable until it works again.',
    'Failing',
  ])
})

test('shows what an operator should change', () => {
  const { tone, text } = rendered(loaded('ready', {}, ['untrusted_proxy']))
  expect(tone).toBe('good')
  expect(text.at(-1)).toContain('COLOPHON_TRUSTED_PROXIES')
})

test('shows an instance that is not ready', () => {
  const { tone, text } = rendered(loaded('not_ready', { postgres: { status: 'failing', reason: 'unreachable' } }))
  expect(tone).toBe('bad')
  expect(text).toContain('Not ready')
  expect(text).toContain('Unreachable. Colophon cannot work without it.')
})

test('shows an instance that is stopping', () => {
  expect(rendered(loaded('stopping'))).toMatchObject({ tone: 'poor', text: expect.arrayContaining(['Stopping']) })
})

test('shows why an instance is unreachable', () => {
  const { tone, text } = rendered({ state: 'unreachable', detail: 'No complete response from there.', at })
  expect(tone).toBe('bad')
  expect(text[0]).toBe('Unreachable')
  expect(text).toContain('No complete response from there.')
})

test('shows unknown components and reasons of a newer server by their names', () => {
  const { text } = rendered(loaded('degraded', { 'object-store': { status: 'failing', reason: 'too_warm' } }))
  expect(text.slice(-3)).toEqual(['object-store', 'Failing: too_warm. ', 'Failing'])
})
