/** A form that shows how a user agent is classified, and by which rule. */
import type { ClientClassification } from '@colophon/sdk'
import { Badge, Button, Checkbox, Code, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { classificationRuleLabels, clientClassLabels, formatClientName } from './client-labels.ts'
import { dropReasonLabels } from './source-labels.ts'

const examples = {
  'AI assistant':
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  'AI training crawler': 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'This browser': navigator.userAgent,
}

export function ClassifyForm({ projectId }: { projectId: string }) {
  const [userAgent, setUserAgent] = useState('')
  const [path, setPath] = useState('/')
  const [acceptsMarkdown, setAcceptsMarkdown] = useState(false)
  const classify = useMutation({
    mutationFn: (request: { userAgent: string }) =>
      client.views.classify(projectId, {
        ...request,
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
        Classify a user agent
      </Title>
      <Text size="sm" mb="sm">
        See which client a user agent is recognized as, and by which rule. Nothing is counted.
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
            <TextInput label="Path" value={path} onChange={({ currentTarget: { value } }) => setPath(value)} w={220} />
            <Checkbox
              label="Requests Markdown"
              checked={acceptsMarkdown}
              onChange={({ currentTarget: { checked } }) => setAcceptsMarkdown(checked)}
              pb={8}
            />
            <Button type="submit" loading={classify.isPending}>
              Classify
            </Button>
          </Group>
        </Stack>
      </form>
      <div aria-live="polite">
        <ErrorAlert error={classify.error} />
        {classify.data && <Result classification={classify.data} />}
      </div>
    </Paper>
  )
}

function Result({ classification: { view, reason } }: { classification: ClientClassification }) {
  if (!view) {
    return (
      <Text mt="md">
        Not counted
        {reason !== null && `: ${dropReasonLabels[reason].label.toLowerCase()}. ${dropReasonLabels[reason].advice}`}
      </Text>
    )
  }
  const { name, description } = clientClassLabels[view.class]
  return (
    <Stack gap={6} mt="md">
      <Group gap="xs">
        <Badge variant="default" size="lg" tt="none">
          {name}
        </Badge>
        <Text fw={600}>{view.client === 'browser' ? 'Browser' : formatClientName(view.client)}</Text>
        <Text size="sm">
          on page <Code>{view.path}</Code>
        </Text>
      </Group>
      <Text size="sm">
        {classificationRuleLabels[view.rule]} {description}
      </Text>
    </Stack>
  )
}
