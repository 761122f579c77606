/** A box to try a user agent: who would it be taken for, and why. */
import type { ClientClassification } from '@colophon/sdk'
import { Badge, Button, Checkbox, Code, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { clientKinds, clientName, ruleWords } from './client-labels.ts'
import { reasonWords } from './source-words.ts'

const examples = {
  'ChatGPT, for somebody':
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  'A crawler for training': 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'This browser': navigator.userAgent,
}

export function TryClient({ projectId }: { projectId: string }) {
  const [userAgent, setUserAgent] = useState('')
  const [path, setPath] = useState('/')
  const [acceptsMarkdown, setAsksForMarkdown] = useState(false)
  const classify = useMutation({
    mutationFn: (asked: { userAgent: string }) =>
      client.views.classify(projectId, {
        ...asked,
        path: path === '' ? '/' : path,
        accept: acceptsMarkdown ? 'text/markdown' : 'text/html',
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    classify.mutate({ userAgent })
  }
  return (
    <Paper withBorder p="md" mt="lg">
      <Title order={2} size="h4">
        Try a user agent
      </Title>
      <Text size="sm" mb="sm">
        Who would a reader be taken for, and which rule decides? Nothing is counted.
      </Text>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="User agent"
            value={userAgent}
            onChange={({ currentTarget: { value } }) => setUserAgent(value)}
            placeholder="Mozilla/5.0 (compatible; …)"
          />
          <Group gap="xs">
            {Object.entries(examples).map(([name, example]) => (
              <Button
                key={name}
                variant="default"
                size="compact-xs"
                onClick={() => {
                  setUserAgent(example)
                  classify.mutate({ userAgent: example })
                }}
              >
                {name}
              </Button>
            ))}
          </Group>
          <Group align="flex-end" gap="sm">
            <TextInput
              label="Path that it asks for"
              value={path}
              onChange={({ currentTarget: { value } }) => setPath(value)}
              w={220}
            />
            <Checkbox
              label="Asks for Markdown"
              checked={acceptsMarkdown}
              onChange={({ currentTarget: { checked } }) => setAsksForMarkdown(checked)}
              pb={8}
            />
            <Button type="submit" loading={classify.isPending}>
              Try it
            </Button>
          </Group>
        </Stack>
      </form>
      <div aria-live="polite">
        <Failure error={classify.error} />
        {classify.data && <Verdict classification={classify.data} />}
      </div>
    </Paper>
  )
}

function Verdict({ classification: { view, reason } }: { classification: ClientClassification }) {
  if (!view) {
    return (
      <Text mt="md">
        No view{reason !== null && `: ${reasonWords[reason].what.toLowerCase()}. ${reasonWords[reason].todo}`}
      </Text>
    )
  }
  const { name, what } = clientKinds[view.class]
  return (
    <Stack gap={6} mt="md">
      <Group gap="xs">
        <Badge variant="default" size="lg" tt="none">
          {name}
        </Badge>
        <Text fw={600}>{view.client === 'browser' ? 'A browser' : clientName(view.client)}</Text>
        <Text size="sm">
          on page <Code>{view.path}</Code>
        </Text>
      </Group>
      <Text size="sm">
        {ruleWords[view.rule]} {what}
      </Text>
    </Stack>
  )
}
