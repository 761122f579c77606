import { Container, Text, Title } from '@mantine/core'
import { AnchorLink } from '../shown/links.tsx'

export function NotFound() {
  return (
    <Container size="sm" py="xl">
      <Title order={1}>There is no such page</Title>
      <Text mt="sm">
        The address may be mistyped, or what it showed is gone. <AnchorLink to="/">Go to your projects</AnchorLink>.
      </Text>
    </Container>
  )
}
