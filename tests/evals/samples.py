"""Small talks in the schemas of LoCoMo, its audit, BEAM and LongMemEval, written for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ANN: dict[str, Any] = {
    "sample_id": "ann-bo",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_10_date_time": "9:00 am on 2 June, 2024",
        "session_10": [
            {"speaker": "Ann", "dia_id": "D10:1", "text": "Biscuit won a rosette yesterday."},
            {"speaker": "Bo", "dia_id": "D10:2", "text": "My canoe trip begins on Friday."},
        ],
        "session_2_date_time": "1:56 pm on 8 May, 2024",
        "session_2": [
            {"speaker": "Ann", "dia_id": "D2:1", "text": "I adopted a greyhound called Biscuit."},
            {
                "speaker": "Bo", "dia_id": "D2:2", "text": "Look at this!",
                "blip_caption": "a red canoe on a lake",
            },
        ],
    },
    "qa": [
        {
            "question": "What is Ann's greyhound called?", "answer": "Biscuit", "category": 4,
            "evidence": ["D2:1"],
        },
        {
            "question": "When did Biscuit win a rosette?", "answer": "1 June 2024", "category": 2,
            "evidence": ["D:10:1"],
        },
        {
            "question": "What do Ann and Bo own?", "answer": "a greyhound and a canoe",
            "category": 1, "evidence": ["D2:1; D02:2"],
        },
        {
            "question": "How many wheels has Bo's greyhound?", "adversarial_answer": "four",
            "category": 5, "evidence": ["D2:1"],
        },
        {"question": "Is Bo sporty?", "answer": 1, "category": 3, "evidence": []},
    ],
    "observation": {"never": "read"},
}  # fmt: skip
CLEO: dict[str, Any] = {
    "sample_id": "cleo-dan",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2024",
        "session_1": [
            {"speaker": "Cleo", "dia_id": "D1:1", "text": "I bake rye bread on Sundays."},
            {"speaker": "Dan", "dia_id": "D1:2", "text": "I prefer my tea without milk."},
        ],
    },
    "qa": [
        {
            "question": "What does Cleo bake?", "answer": "rye bread", "category": 4,
            "evidence": ["D1:1", "D9:9"],
        },
    ],
}  # fmt: skip
AUDIT: list[dict[str, Any]] = [
    {
        "question_id": "locomo_0_qa2", "question": "What do Ann and Bo own?",
        "error_type": "HALLUCINATION", "correct_answer": "a greyhound",
        "correct_evidence": ["D2:1"],
    },
    {
        "question_id": "locomo_7_qa0", "question": "What does Cleo bake?",
        "error_type": "WRONG_CITATION", "correct_answer": "rye bread",
        "correct_evidence": ["D1:2"],
    },
    {
        "question_id": "locomo_7_qa9", "question": "What does nobody ask?",
        "error_type": "AMBIGUOUS", "correct_answer": "this", "correct_evidence": ["D1:1"],
    },
]  # fmt: skip
BEAM: dict[str, Any] = {
    "conversation": 3,
    "turns": [
        {
            "id": 0, "role": "user", "time_anchor": "March-15-2024",
            "content": "The dashboard answers in 400 ms.",
        },
        {"id": 1, "role": "assistant", "time_anchor": None, "content": "That is slow."},
        {
            "id": 2, "role": "user", "time_anchor": "April-2-2024",
            "content": "With the cache the dashboard answers in 250 ms.",
        },
        {"id": 3, "role": "user", "time_anchor": None, "content": "I never wrote a Flask route."},
    ],
    "questions": [
        {
            "id": "3-update", "type": "knowledge_update", "question": "How fast is the dashboard?",
            "answer": "250 ms", "rubric": ["says 250 ms"],
            "evidence": {"original_info": [0], "updated_info": [2]},
        },
        {
            "id": "3-contradiction", "type": "contradiction_resolution",
            "question": "Did I write a Flask route?", "answer": "You said both.",
            "rubric": ["names the contradiction", "asks which is right"],
            "evidence": {"first_statement": [3], "second_statement": [2]},
        },
        {
            "id": "3-abstention", "type": "abstention",
            "question": "Which zebra crossed the harbour?", "answer": "There is no information.",
            "rubric": ["says there is no information"], "evidence": None,
        },
    ],
}  # fmt: skip
LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "Where do I keep my sneakers?",
        "answer": "in the attic",
        "question_date": "2023/06/30 (Fri) 10:00",
        "haystack_session_ids": ["s_1", "s_2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/06/01 (Thu) 18:05"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "How do I descale a kettle?"},
                {"role": "assistant", "content": "With vinegar."},
            ],
            [
                {
                    "role": "user", "content": "I keep my sneakers in the attic.",
                    "has_answer": True,
                },
                {"role": "assistant", "content": "Noted.", "has_answer": False},
            ],
        ],
        "answer_session_ids": ["s_2"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "single-session-user",
        "question": "What did the zebra eat?",
        "answer": "You did not mention a zebra.",
        "question_date": "2023/06/30 (Fri) 10:00",
        "haystack_session_ids": ["s_1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "How do I descale a kettle?"}]],
        "answer_session_ids": ["s_9"],
    },
]  # fmt: skip


def written(folder: Path, name: str, value: Any) -> Path:
    """A value as a JSON file."""
    path = folder / name
    path.write_text(json.dumps(value), "utf-8")
    return path
