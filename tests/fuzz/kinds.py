"""Every kind of file and folder that the library reads."""

from __future__ import annotations

from tests.fuzz.file_kinds import FILE_KINDS
from tests.fuzz.folder_kinds import FOLDER_KINDS
from tests.fuzz.training_kinds import TRAINING_KINDS

KINDS = {kind.name: kind for kind in (*FILE_KINDS, *FOLDER_KINDS, *TRAINING_KINDS)}
