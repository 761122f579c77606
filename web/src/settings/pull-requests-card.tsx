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
import { ErrorAlert } from '../shown/error-alert.tsx'
import {
  findBodyTemplateError,
  findBranchTemplateError,
  findTitleTemplateError,
  renderTemplateExample,
} from './pull-request-templates.ts'
import { SettingsCard } from './settings-card.tsx'
import { useChangeRepositorySettings } from './use-change-repository-settings.ts'

/** How branches and pull requests are named and opened. */
export function PullRequestsCard({
  projectId,
  repository,
  canChange,
}: {
  projectId: string
  repository: Repository
  canChange: boolean
}) {
  const [settings, setSettings] = useState(repository.publishing)
  const change = (changes: Partial<typeof settings>) => setSettings((previous) => ({ ...previous, ...changes }))
  const errors = {
    branch: findBranchTemplateError(settings.branchTemplate),
    title: findTitleTemplateError(settings.titleTemplate),
    body: findBodyTemplateError(settings.bodyTemplate),
  }
  const save = useChangeRepositorySettings(projectId, 'Saved. It applies from the next turn.')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ publishing: settings })
  }
  const isChanged = JSON.stringify(settings) !== JSON.stringify(repository.publishing)
  const hasErrors = Object.values(errors).some((error) => error !== undefined)
  return (
    <SettingsCard title="Pull requests" lead="How branches and pull requests of this project are named and opened.">
      <form onSubmit={submit}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Branch"
              description="Must contain {jobId}"
              value={settings.branchTemplate}
              onChange={(event) => change({ branchTemplate: event.currentTarget.value })}
              error={errors.branch}
              readOnly={!canChange}
            />
            <TextInput
              label="Title"
              description="Must contain {title}, which the agent writes"
              value={settings.titleTemplate}
              onChange={(event) => change({ titleTemplate: event.currentTarget.value })}
              error={errors.title}
              readOnly={!canChange}
            />
          </SimpleGrid>
          <Paper p="sm" bg="var(--mantine-color-gray-light)" component="output" aria-label="Example">
            <Text size="sm" fw={600}>
              {settings.draft && (repository.host === 'gitea' ? 'WIP: ' : 'Draft: ')}
              {renderTemplateExample(settings.titleTemplate)}
            </Text>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              from <Code>{renderTemplateExample(settings.branchTemplate)}</Code> into{' '}
              <Code>{repository.baseBranch}</Code>
            </Text>
          </Paper>
          <Textarea
            label="Description"
            description="Markdown. Must contain {summary} on its own line, which is replaced with the agent's summary"
            autosize
            minRows={3}
            maxRows={14}
            value={settings.bodyTemplate}
            onChange={(event) => change({ bodyTemplate: event.currentTarget.value })}
            error={errors.body}
            readOnly={!canChange}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TagsInput
              label="Labels"
              description="Existing labels on the code host. Press Enter after each one"
              value={settings.labels}
              onChange={(labels) => change({ labels })}
              readOnly={!canChange}
            />
            <TagsInput
              label="Reviewers"
              description="User names on the code host. Press Enter after each one"
              value={settings.reviewers}
              onChange={(reviewers) => change({ reviewers })}
              readOnly={!canChange}
            />
          </SimpleGrid>
          <Switch
            label="Open pull requests as drafts"
            checked={settings.draft}
            onChange={(event) => change({ draft: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <Switch
            label="Sign off commits"
            description="Adds a Signed-off-by line (Developer Certificate of Origin)"
            checked={settings.signOff}
            onChange={(event) => change({ signOff: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <ErrorAlert error={save.error} />
          {canChange && (
            <Group>
              <Button type="submit" disabled={!isChanged || hasErrors} loading={save.isPending}>
                Save settings
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}
