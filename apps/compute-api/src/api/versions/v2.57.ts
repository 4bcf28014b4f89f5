import { defineVersion, removed } from '@fractus/microversions';

export const v2_57 = defineVersion({
  version: '2.57',
  summary: 'Files are no longer injected; their quotas and limits are gone.',
  responses: [
    removed('quota-set', 'injected_files', 'injected_file_content_bytes', 'injected_file_path_bytes'),
    removed('quota-class-set', 'injected_files', 'injected_file_content_bytes', 'injected_file_path_bytes'),
    removed('limits', 'maxPersonality', 'maxPersonalitySize'),
  ],
});
