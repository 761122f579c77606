import type { Repository } from '@colophon/sdk'
import {
  Button,
  Code,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure } from '../shown/failure.tsx'
import { bodyMistake, branchMistake, renderExample, titleMistake } from './publishing-example.ts'
import { SettingsCard } from './settings-card.tsx'
import { useChangeRepository } from './use-change-repository.ts'

export function PublishingCard({
  projectId,
  repository,
  canChange,
}: {
  projectId: string
  repository: Repository
  canChange: boolean
}) {
  const [rules, setRules] = useState(repository.publishing)
  const change = (part: Partial<typeof rules>) => setRules((before) => ({ ...before, ...part }))
  const mistakes = {
    branch: branchMistake(rules.branchTemplate),
    title: titleMistake(rules.titleTemplate),
    body: bodyMistake(rules.bodyTemplate),
  }
  const save = useChangeRepository(projectId, 'The publishing rules hold from the next turn on.')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ publishing: rules })
  }
  const isChanged = JSON.stringify(rules) !== JSON.stringify(repository.publishing)
  const isWrong = Object.values(mistakes).some((mistake) => mistake !== undefined)
  return (
    <SettingsCard title="Publishing rules" lead="How branches and pull requests of this project look.">
      <form onSubmit={submit}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Branch"
              description="With {jobId}"
              value={rules.branchTemplate}
              onChange={(event) => change({ branchTemplate: event.currentTarget.value })}
              error={mistakes.branch}
              readOnly={!canChange}
            />
            <TextInput
              label="Title"
              description="With {title}, which the agent writes"
              value={rules.titleTemplate}
              onChange={(event) => change({ titleTemplate: event.currentTarget.value })}
              error={mistakes.title}
              readOnly={!canChange}
            />
          </SimpleGrid>
          <Paper p="sm" bg="var(--mantine-color-gray-light)" component="output" aria-label="Example">
            <Text size="sm" fw={600}>
              {rules.draft && (repository.host === 'gitea' ? 'WIP: ' : 'Draft: ')}
              {renderExample(rules.titleTemplate)}
            </Text>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              from <Code>{renderExample(rules.branchTemplate)}</Code> into <Code>{repository.baseBranch}</Code>
            </Text>
          </Paper>
          <Textarea
            label="Description"
            description="Markdown, with {summary} on a line of its own: what the agent says it did"
            autosize
            minRows={3}
            maxRows={14}
            value={rules.bodyTemplate}
            onChange={(event) => change({ bodyTemplate: event.currentTarget.value })}
            error={mistakes.body}
            readOnly={!canChange}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TagsInput
              label="Labels"
              description="Those that exist on the host; press Enter after each"
              value={rules.labels}
              onChange={(labels) => change({ labels })}
              readOnly={!canChange}
            />
            <TagsInput
              label="Reviewers"
              description="User names on the host"
              value={rules.reviewers}
              onChange={(reviewers) => change({ reviewers })}
              readOnly={!canChange}
            />
          </SimpleGrid>
          <Switch
            label="Open pull requests as drafts"
            checked={rules.draft}
            onChange={(event) => change({ draft: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <Switch
            label="Sign off commits"
            description="Adds a Signed-off-by line: your word that the change may be contributed"
            checked={rules.signOff}
            onChange={(event) => change({ signOff: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <Failure error={save.error} />
          {canChange && (
            <Group>
              <Button type="submit" disabled={!isChanged || isWrong} loading={save.isPending}>
                Save rules
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}
